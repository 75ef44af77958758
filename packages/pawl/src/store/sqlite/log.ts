import type { Instant } from '../../core/clock.ts';
import { EVENT_TYPES, type JobEvent, NOTE_TYPES } from '../../core/event.ts';
import type { Connection } from './connection.ts';
import { sumOf } from './sums.ts';

type Kind = JobEvent['type'];

const NOTES_FROM = 101;

const KIND_CODES: ReadonlyMap<Kind, number> = new Map([
  ...EVENT_TYPES.map((type, index): [Kind, number] => [type, index + 1]),
  ...NOTE_TYPES.map((type, index): [Kind, number] => [type, index + NOTES_FROM]),
]);

export function kindCode(type: Kind): number {
  return KIND_CODES.get(type)!;
}

export function kindOf(code: number): Kind {
  return code < NOTES_FROM ? EVENT_TYPES[code - 1]! : NOTE_TYPES[code - NOTES_FROM]!;
}

/** What the jobs of an entry have in common. */
export interface Entry {
  readonly at: Instant;
  readonly lane: number;
  readonly lifecycle: number;
  readonly type: Kind;
  /** 1: an owner's turn ended well, 2: badly. */
  readonly turn?: number | null;
  readonly from: number | null;
  /** The first of two places, where a job was created in one and queued in the other at once. */
  readonly via?: number | null;
  readonly to: number;
  readonly phase: number;
  readonly actor: string;
}

/** A job as it stands after what an entry tells. */
export interface Standing {
  readonly key: number;
  readonly version: number;
  readonly epoch: number;
  readonly attempts: number;
  readonly retry_count: number;
  readonly progress: number;
}

/** What only one job of an entry has to say. */
export interface Texts {
  readonly key: number;
  readonly stage: string | null;
  readonly message: string | null;
  readonly cause: string | null;
  readonly payload: string | null;
}

export interface Note extends Standing {
  readonly note: number;
  readonly at: Instant;
  readonly lane: number;
  readonly lifecycle: number;
  readonly type: Kind;
  readonly state: number;
  readonly phase: number;
  readonly actor: string;
  readonly stage: string | null;
  readonly message: string | null;
  readonly payload: string | null;
}

/** Writes entries and notes, which share one row of numbers. */
export class Log {
  readonly #connection: Connection;
  #last: number | null = null;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** The highest number that was given, also to what was rolled back. */
  get last(): number {
    return (this.#last ??= lastNumber(this.#connection));
  }

  /** Numbers of what was rolled back are not given again: a gap says nothing to anyone. */
  #draw(): number {
    return (this.#last = this.last + 1);
  }

  write(entry: Entry, jobs: readonly Standing[], texts: readonly Texts[] = []): number {
    const n = this.#draw();
    const said = texts.filter(
      ({ stage, message, cause, payload }) => (stage ?? message ?? cause ?? payload) !== null,
    );
    const { at, lane, lifecycle, type, turn = null, from, via = null, to, phase, actor } = entry;
    const places = [from, via, to, phase, Number(said.length > 0)];
    const numbers = [n, at, lane, lifecycle, kindCode(type), turn, ...places];
    const lists = [actor, ...LISTS.map((name) => listOf(jobs, name)), keysOf(jobs)];
    this.#connection.sql('add_entry').run(...numbers, ...lists, sumOf(numbers, lists));
    for (const { key, stage, message, cause, payload } of said) {
      const own = [stage, message, cause, payload];
      this.#connection.sql('add_texts').run(key, n, ...own, sumOf([key, n], own));
    }
    return n;
  }

  note(note: Note): void {
    const { key, version, note: number, at, lane, lifecycle, type, state, phase } = note;
    const { epoch, attempts, retry_count, progress, actor, stage, message, payload } = note;
    const place = [at, lane, lifecycle, kindCode(type), state, phase];
    const counts = [epoch, attempts, retry_count, progress];
    this.#connection
      .sql('add_note')
      .run(this.#draw(), key, version, number, ...place, ...counts, actor, stage, message, payload);
  }
}

/** The highest number that was ever given: that of a row that is gone is kept in `meta`. */
export function lastNumber(connection: Connection): number {
  return connection.sql('last_n').get()!['n'] as number;
}

const LISTS = ['version', 'epoch', 'attempts', 'retry_count', 'progress'] as const;

function keysOf(jobs: readonly Standing[]): string {
  return `[${jobs.map(({ key }) => key).join(',')}]`;
}

/** One element where it holds for all. */
function listOf(jobs: readonly Standing[], name: (typeof LISTS)[number]): string {
  const first = jobs[0]![name];
  for (const job of jobs) {
    if (job[name] !== first) return `[${jobs.map((one) => one[name]).join(',')}]`;
  }
  return `[${first}]`;
}

export function textOf(payload: Readonly<Record<string, unknown>> | null): string | null {
  return payload === null ? null : JSON.stringify(payload);
}
