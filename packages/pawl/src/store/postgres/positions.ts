import type { Session } from './session.ts';
import type { Sessions } from './sessions.ts';

/** How far the primary had written, by its own word. */
export interface Sample {
  /** When it was asked, by the time that this process has run for. */
  readonly at: number;
  readonly log: string;
  /** Behind everything that was committed when it was asked. */
  readonly lsn: bigint;
  /** Up to this number of the log everything lies before that place, and nothing comes any more. */
  readonly floor: number;
}

/** So many are remembered: with one each half second, those of half a minute. */
const KEPT_MAX = 64;
const SAMPLE_MS = 500;

/** The floor is read before the place: whatever is committed up to it lies before the place. */
async function ask({ database }: Session, at: number): Promise<Sample> {
  const [row] = await database.read<{ floor: number; log: string; lsn: string }>(
    `SELECT s.floor, s.incarnation AS log, (pg_current_wal_insert_lsn() - '0/0')::text AS lsn
     FROM ${database.verbs}.log_state() s`,
  );
  return { at, log: row!.log, floor: row!.floor, lsn: BigInt(row!.lsn) };
}

/**
 * Where the primary stood when. By this a replica's age is known without any machine's clock: what
 * it has replayed was all there was when the primary was asked.
 */
export class Positions {
  readonly #sessions: Sessions;
  readonly #samples: Sample[] = [];
  #running: Promise<Sample> | null = null;
  #next: Promise<Sample> | null = null;

  constructor(sessions: Sessions) {
    this.#sessions = sessions;
  }

  /** One that is asked for after this call; calls that come meanwhile share the next. */
  fresh(): Promise<Sample> {
    if (this.#running === null) return this.#begin();
    this.#next ??= this.#running
      .catch(() => undefined)
      .then(() => {
        this.#next = null;
        return this.#begin();
      });
    return this.#next;
  }

  /** Asks where that was long ago. Nobody waits for it: the primary may be away. */
  refresh(): void {
    const last = this.#samples.at(-1);
    if (this.#running !== null) return;
    if (last !== undefined && performance.now() - last.at < SAMPLE_MS) return;
    this.#begin().catch(() => undefined);
  }

  /** The latest that a replica has come past. */
  passed(log: string, lsn: bigint): Sample | null {
    return this.#samples.findLast((one) => one.log === log && one.lsn <= lsn) ?? null;
  }

  #keep(sample: Sample): Sample {
    this.#samples.push(sample);
    if (this.#samples.length > KEPT_MAX) this.#samples.shift();
    return sample;
  }

  #begin(): Promise<Sample> {
    const at = performance.now();
    const running = this.#sessions.with((session) => ask(session, at));
    this.#running = running.then((sample) => this.#keep(sample));
    return this.#running.finally(() => (this.#running = null));
  }
}
