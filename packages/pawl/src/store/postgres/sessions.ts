import type { Clock } from '../../core/clock.ts';
import type { Lifecycle } from '../../core/lifecycle.ts';
import type { LogChange } from '../log-changes.ts';
import type { Database, LogName } from './database.ts';
import { isOtherLog } from './failure.ts';
import { registerLifecycles } from './lifecycles.ts';
import { makePartitions } from './purge.ts';
import { Session } from './session.ts';
import { PostgresWakeSignal } from './wake-signal.ts';

/** Servers can take over one from another, but hardly so often within one call. */
const TRIES_MAX = 5;

interface Begun extends LogName {
  readonly previous: string;
  readonly last_n: number;
}

export interface SessionsOptions {
  readonly lifecycles: readonly Lifecycle[];
  readonly clock: Clock | null;
}

/**
 * The session of the log that the database has. Every statement names the log that its numbers are
 * of. Once that has another name (a standby has taken over, a backup was restored) the statement is
 * refused before it does anything; everything learnt goes with its session, and the verb is done
 * again with a new one.
 */
export class Sessions {
  readonly wakeSignal: PostgresWakeSignal;
  readonly #database: Database;
  readonly #options: SessionsOptions;
  readonly #listeners: Set<(change: LogChange) => void> = new Set();
  #current: Session;
  #changing: Promise<Session> | null = null;
  #changes = 0;

  private constructor(database: Database, options: SessionsOptions) {
    this.#database = database;
    this.#options = options;
    this.wakeSignal = new PostgresWakeSignal(database);
    this.#current = new Session(database, this.wakeSignal, options.clock);
  }

  static async open(database: Database, options: SessionsOptions): Promise<Sessions> {
    const sessions = new Sessions(database, options);
    await sessions.#learn();
    return sessions;
  }

  get current(): Session {
    return this.#current;
  }

  /** How often the log has got another name since this process opened it. */
  get changes(): number {
    return this.#changes;
  }

  listen(onChange: (change: LogChange) => void): () => void {
    this.#listeners.add(onChange);
    return () => void this.#listeners.delete(onChange);
  }

  /** Does it on the log that there is; `isAgain`: what was learnt before has been forgotten. */
  async with<Answer>(
    body: (session: Session, isAgain: boolean) => Promise<Answer>,
  ): Promise<Answer> {
    for (let tries = 1; ; tries++) {
      const session = this.#current;
      try {
        return await body(session, tries > 1);
      } catch (error) {
        if (!isOtherLog(error) || tries === TRIES_MAX) throw error;
        await this.renew(session);
      }
    }
  }

  /** Looks which log there is, where somebody was refused on the one that it knows. */
  async renew(seen: Session): Promise<void> {
    if (seen !== this.#current) return;
    this.#changing ??= this.#learn().finally(() => (this.#changing = null));
    await this.#changing;
  }

  async #learn(): Promise<Session> {
    const { lifecycles, clock } = this.#options;
    const base = this.#database;
    const [begun] = await base.write<Begun>(`SELECT * FROM ${base.tables}.begin_timeline()`);
    const { log, previous, last_n: lastNumber } = begun!;
    const former = this.#current.database.log;
    if (log === former) return this.#current;
    const database = base.on(begun!);
    await registerLifecycles(database, lifecycles);
    const session = new Session(database, this.wakeSignal, clock);
    await makePartitions(session);
    this.#current.lines.close();
    this.#current = session;
    if (former === null) return session;
    this.#changes += 1;
    const change = { from: former, to: log, isContinued: previous === former, lastNumber };
    for (const tell of this.#listeners) tell(change);
    return session;
  }
}
