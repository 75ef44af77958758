import type { TailQuery } from '../query.ts';
import type { Cell } from './cell.ts';

/**
 * Where a reader stands in the logs of all cells: `berlin=<cursor>~paris=<cursor>`. A cell that is
 * not in it is read from the start, so one that was added later is read whole.
 */
export type Positions = ReadonlyMap<string, TailQuery['from']>;

const BETWEEN = '~';
const END = 'end';
const SINCE = /^@(\d{1,15})$/;

/** A cursor without names is of the time when the first cell was the only database. */
export function positionsIn(from: TailQuery['from'], cells: readonly Cell[]): Positions {
  if (from === 'start') return new Map();
  if (from === 'end') return new Map(cells.map(({ name }) => [name, 'end']));
  if ('at' in from) return new Map(cells.map(({ name }) => [name, from]));
  if (!from.cursor.includes('=')) return new Map([[cells[0]!.name, from]]);
  const parts = from.cursor.split(BETWEEN).map((part): [string, TailQuery['from']] => {
    const at = part.indexOf('=');
    const cursor = part.slice(at + 1);
    return [part.slice(0, at), fromOf(cursor)];
  });
  return new Map(parts);
}

function fromOf(text: string): TailQuery['from'] {
  if (text === END) return 'end';
  const [, at] = SINCE.exec(text) ?? [];
  return at === undefined ? { cursor: text } : { at: Number(at) };
}

function textOf(from: Exclude<TailQuery['from'], 'start'>): string {
  if (from === 'end') return END;
  return 'at' in from ? `@${from.at}` : from.cursor;
}

/** `end` stands for a cell that was away when the reader began: it is read from when it is back. */
export function cursorOf(positions: Positions): string {
  const parts: string[] = [];
  for (const [name, from] of positions) {
    if (from === 'start') continue;
    parts.push(`${name}=${textOf(from)}`);
  }
  return parts.join(BETWEEN);
}
