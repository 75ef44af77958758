import type { SQLInputValue } from 'node:sqlite';
import type { Instant } from '../../core/clock.ts';
import type { EventType, JobEvent, NoteType } from '../../core/event.ts';
import { phaseOfRank } from '../../core/phase.ts';
import type { Connection } from './connection.ts';
import { manySql, runMany } from './many.ts';
import type { Row } from './row.ts';

/** How a job stands at the moment that an event tells of. */
export interface Standing {
  readonly seq: number;
  readonly state: string;
  readonly phase: number;
  readonly epoch: number;
  readonly version: number;
  readonly attempts: number;
  readonly retry_count: number;
  readonly progress: number;
  readonly stage: string | null;
  readonly message: string | null;
}

export interface Fact {
  readonly type: EventType | NoteType;
  readonly at: Instant;
  readonly from: string | null;
  readonly actor: string;
  readonly cause: string | null;
  readonly payload: Readonly<Record<string, unknown>> | null;
}

export const EVENT_COLUMNS = `type, ts, actor, cause, payload, from_state, to_state, phase, epoch,
  attempt, retry_count, progress, stage, message`;

const EVENT = `INSERT INTO events (job_seq, version, ${EVENT_COLUMNS})
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const EVENTS = manySql(`INSERT INTO events (job_seq, version, ${EVENT_COLUMNS})
  SELECT seq, version, ?, updated_at, ?, NULL, NULL, ?, state, phase, epoch, attempts, retry_count,
    progress, stage, message FROM jobs`);
const NOTE = `INSERT INTO notes (job_seq, version, n, ${EVENT_COLUMNS})
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

/** Writes facts beside the rows they tell of, and for each call one line of the feed. */
export class EventLog {
  readonly #connection: Connection;
  #refs: number[] = [];

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  event(job: Standing, fact: Fact): void {
    this.write(job, fact);
    this.tell(job);
  }

  /** An event that is told later, in the order of what the call was given. */
  write(job: Standing, fact: Fact): void {
    this.#connection.sql(EVENT).run(job.seq, job.version, ...valuesOf(job, fact));
  }

  /** The next that the feed names. */
  tell({ seq, version }: Pick<Standing, 'seq' | 'version'>): void {
    this.#refs.push(seq, version, 0);
  }

  /** The same fact of many jobs, each as it is stored now; told later as well. */
  writeMany(
    jobs: readonly Pick<Standing, 'seq' | 'version'>[],
    { type, from, actor }: Pick<Fact, 'type' | 'from' | 'actor'>,
  ): void {
    runMany(this.#connection, EVENTS, { values: [type, actor, from], rows: jobs });
  }

  note(job: Standing, n: number, fact: Fact): void {
    this.#connection.sql(NOTE).run(job.seq, job.version, n, ...valuesOf(job, fact));
    this.#refs.push(job.seq, job.version, n);
  }

  /** Ends a call: what it wrote becomes one line, whose place in the feed is its commit's. */
  flush(at: Instant): void {
    if (this.#refs.length === 0) return;
    const refs = this.#refs.join(',');
    this.#refs = [];
    this.#connection.sql('INSERT INTO feed (at, refs) VALUES (?, ?)').run(at, refs);
  }

  discard(): void {
    this.#refs = [];
  }
}

function valuesOf(job: Standing, fact: Fact): SQLInputValue[] {
  return [
    fact.type,
    fact.at,
    fact.actor,
    fact.cause,
    fact.payload === null ? null : JSON.stringify(fact.payload),
    fact.from,
    job.state,
    job.phase,
    job.epoch,
    job.attempts,
    job.retry_count,
    job.progress,
    job.stage,
    job.message,
  ];
}

/** Reads back a row of `events` or `notes` that has `version`, and `n` for a note. */
export function eventOfRow(row: Row, ref: { tenant: string; jobId: string }): JobEvent {
  return {
    tenant: ref.tenant,
    jobId: ref.jobId,
    version: row['version'] as number,
    note: row['n'] as number,
    type: row['type'] as JobEvent['type'],
    at: row['ts'] as number,
    from: row['from_state'] as string | null,
    to: row['to_state'] as string,
    phase: phaseOfRank(row['phase'] as number),
    epoch: row['epoch'] as number,
    attempt: row['attempt'] as number,
    retryCount: row['retry_count'] as number,
    progress: row['progress'] as number,
    stage: row['stage'] as string | null,
    message: row['message'] as string | null,
    actor: row['actor'] as string,
    cause: row['cause'] as string | null,
    payload:
      row['payload'] === null
        ? null
        : (JSON.parse(row['payload'] as string) as Readonly<Record<string, unknown>>),
  };
}
