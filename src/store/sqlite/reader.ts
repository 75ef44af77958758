import { systemClock } from '../../core/clock.ts';
import { Connection, type ConnectionOptions } from './connection.ts';
import { EventLog } from './event-log.ts';
import { breaksConnection, failureBeforeCommit } from './failure.ts';
import { Registry } from './registry.ts';
import { type Answer, type Call, perform } from './verbs.ts';
import type { Work } from './work.ts';

type Tools = Omit<Work, 'now'>;

/** Answers one call that changes nothing, from one snapshot of the database. */
export function readOnce(tools: Tools, call: Call): Answer {
  const { connection, registry } = tools;
  try {
    connection.sql('BEGIN').run();
    const value = perform({ ...tools, now: call.now ?? systemClock.now() }, call);
    connection.sql('COMMIT').run();
    return { value };
  } catch (error) {
    registry.forget();
    if (connection.db.isTransaction) connection.sql('ROLLBACK').run();
    if (breaksConnection(error)) connection.close();
    const { outcome, message } = failureBeforeCommit(error);
    return { failure: { outcome, message } };
  }
}

/** A connection for reading only: what it does never makes the writer wait. */
export class Reader {
  readonly #options: ConnectionOptions;
  #tools: Tools | null = null;

  constructor(options: ConnectionOptions) {
    this.#options = { ...options, isReader: true };
    this.#tools = this.#connect();
  }

  run(calls: readonly Call[]): Answer[] {
    return calls.map((call) => {
      try {
        if (this.#tools === null || !this.#tools.connection.db.isOpen)
          this.#tools = this.#connect();
        return readOnce(this.#tools, call);
      } catch (error) {
        return { failure: failureBeforeCommit(error) };
      }
    });
  }

  close(): void {
    this.#tools?.connection.close();
    this.#tools = null;
  }

  #connect(): Tools {
    const connection = new Connection(this.#options);
    return { connection, registry: new Registry(connection), log: new EventLog(connection) };
  }
}
