import type { TailQuery } from '../query.ts';
import type { Cell } from './cell.ts';

/**
 * Where a reader stands in the logs of all cells: `berlin=<cursor>~paris=<cursor>`. A cell that is
 * not in it is read from the start, so one that was added later is read whole.
 */
export type Positions = ReadonlyMap<string, TailQuery['from']>;

const BETWEEN = '~';
const END = 'end';

/** A cursor without names is of the time when the first cell was the only database. */
export function positionsIn(from: TailQuery['from'], cells: readonly Cell[]): Positions {
  if (from === 'start') return new Map();
  if (from === 'end') return new Map(cells.map(({ name }) => [name, 'end']));
  if (!from.cursor.includes('=')) return new Map([[cells[0]!.name, from]]);
  const parts = from.cursor.split(BETWEEN).map((part): [string, TailQuery['from']] => {
    const at = part.indexOf('=');
    const cursor = part.slice(at + 1);
    return [part.slice(0, at), cursor === END ? 'end' : { cursor }];
  });
  return new Map(parts);
}

/** `end` stands for a cell that was away when the reader began: it is read from when it is back. */
export function cursorOf(positions: Positions): string {
  const parts: string[] = [];
  for (const [name, from] of positions) {
    if (from === 'start') continue;
    parts.push(`${name}=${from === 'end' ? END : from.cursor}`);
  }
  return parts.join(BETWEEN);
}
