import { systemClock } from '../../core/clock.ts';
import { Connection, type ConnectionOptions } from './connection.ts';
import { breaksConnection, failureBeforeCommit } from './failure.ts';
import { Log } from './log.ts';
import { Names } from './names.ts';
import { performRead } from './reads.ts';
import type { Answer, Call } from './verbs.ts';
import type { Work } from './work.ts';

type Tools = Omit<Work, 'now'>;

/** Answers one call that changes nothing, from one snapshot of the database. */
export function readOnce(tools: Tools, call: Call): Answer {
  const { connection, names } = tools;
  try {
    connection.text('BEGIN').run();
    const value = performRead({ ...tools, now: call.now ?? systemClock.now() }, call);
    connection.text('COMMIT').run();
    return { value };
  } catch (error) {
    names.forget();
    if (connection.db.isTransaction) connection.text('ROLLBACK').run();
    if (breaksConnection(error)) connection.close();
    return { failure: failureBeforeCommit(error) };
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
    return { connection, names: new Names(connection), log: new Log(connection) };
  }
}
