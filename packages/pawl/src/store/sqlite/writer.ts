import { randomUUID } from 'node:crypto';
import { systemClock } from '../../core/clock.ts';
import type { Lifecycle } from '../../core/lifecycle.ts';
import { CommitMark } from './commit-mark.ts';
import {
  checkIntegrity,
  Connection,
  type ConnectionOptions,
  wasLeftUnclean,
} from './connection.ts';
import {
  breaksConnection,
  type Failure,
  failureAtCommit,
  failureBeforeCommit,
  isSurelyUndone,
} from './failure.ts';
import { migrate } from './migrations.ts';
import { type Ownership, takeOwnership } from './ownership.ts';
import { registerLifecycles } from './lifecycles.ts';
import { lastNumber, Log } from './log.ts';
import { Names } from './names.ts';
import type { Answer, Call } from './verbs.ts';
import { alone, asOneCall, sharesOf, unitsOf } from './together.ts';
import type { Work } from './work.ts';
import { performWrite } from './writes.ts';

export interface WriterOptions extends ConnectionOptions {
  readonly lifecycles: readonly Lifecycle[];
}

/** Pages of log after which a checkpoint is due: when there is nothing else to do, and anyhow. */
const WAL_PAGES_IDLE = 1_000;
const WAL_PAGES_BUSY = 4_000;

type Tools = Omit<Work, 'now'>;

/**
 * The only one who writes. It owns the file from its making to `close`. After an error of the
 * disk it is without a connection until the next group, which opens a new one first.
 */
export class Writer {
  readonly #options: WriterOptions;
  readonly #ownership: Ownership | null;
  readonly #mark: CommitMark | null = null;
  #tools: Tools | null;

  constructor(options: WriterOptions) {
    this.#options = options;
    const isFile = options.path !== ':memory:';
    this.#ownership = isFile ? takeOwnership(options.path) : null;
    try {
      const isUnclean = isFile && wasLeftUnclean(options.path);
      this.#tools = this.#connect();
      if (isUnclean) checkIntegrity(this.#tools.connection.db);
      if (isFile) this.#mark = new CommitMark(options.path);
      this.#prepare(this.#tools.connection);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** What reads may use where writer and reader share one connection. */
  get tools(): Tools {
    if (this.#tools?.connection.db.isOpen !== true) this.#tools = this.#connect();
    return this.#tools;
  }

  /**
   * Group commit: the calls share one transaction, each can fail alone, all wait for its end.
   * Almost none does, so at first they go without savepoints, which copy every page to be changed.
   */
  run(calls: readonly Call[]): Answer[] {
    const answers = this.#runGroup(calls, { isCareful: false });
    return answers ?? this.#runGroup(calls, { isCareful: true })!;
  }

  /** Null: one of several failed, all were taken back, and are to be done with more care. */
  #runGroup(calls: readonly Call[], { isCareful }: { isCareful: boolean }): Answer[] | null {
    let tools: Tools;
    try {
      tools = this.tools;
      tools.connection.text('BEGIN IMMEDIATE').run();
    } catch (error) {
      if (breaksConnection(error)) this.#disconnect();
      return sameFor(calls, failureBeforeCommit(error));
    }
    const from = tools.log.last;
    const answers: Answer[] = [];
    for (const unit of isCareful ? calls.map(alone) : unitsOf(tools.names, calls)) {
      const call = asOneCall(unit);
      const answer = isCareful ? this.#runInSavepoint(tools, call) : this.#runPlainly(tools, call);
      if (calls.length === 1 && 'failure' in answer) return [answer];
      if (!isInTransaction(tools)) {
        if (!isCareful && tools.connection.db.isOpen) return null;
        // The transaction is gone, and with it what the calls before this one wrote.
        return this.#abandoned(calls, answer);
      }
      answers.push(...sharesOf(unit, answer));
    }
    try {
      tools.connection.text('COMMIT').run();
    } catch (error) {
      return sameFor(calls, this.#failedCommit(tools, { from, error }));
    }
    this.#mark?.note(tools.connection, tools.log);
    return answers;
  }

  /**
   * SQLite takes a commit back that failed, but one whose sync failed may come up again after a
   * crash, until others are written over it. So another one is written at once: when that is on
   * disk and nothing of the first is seen, the first has surely not happened.
   */
  #failedCommit(tools: Tools, { from, error }: { from: number; error: unknown }): Failure {
    const hasEntries = tools.log.last > from;
    this.#disconnect();
    if (isSurelyUndone(error)) return failureBeforeCommit(error);
    try {
      const { connection } = this.tools;
      connection.sql('put_meta').run('probe', randomUUID());
      if (hasEntries && lastNumber(connection) <= from) return failureBeforeCommit(error);
    } catch {
      this.#disconnect();
    }
    return failureAtCommit(error);
  }

  #runInSavepoint(tools: Tools, call: Call): Answer {
    const { connection } = tools;
    try {
      connection.text('SAVEPOINT one_call').run();
      const value = this.#perform(tools, call);
      connection.text('RELEASE one_call').run();
      return { value };
    } catch (error) {
      if (breaksConnection(error)) this.#disconnect();
      else this.#takeBack(tools, ['ROLLBACK TO one_call', 'RELEASE one_call']);
      return { failure: failureBeforeCommit(error) };
    }
  }

  /** A failure takes back the whole transaction. */
  #runPlainly(tools: Tools, call: Call): Answer {
    try {
      return { value: this.#perform(tools, call) };
    } catch (error) {
      if (breaksConnection(error)) this.#disconnect();
      else this.#takeBack(tools, ['ROLLBACK']);
      return { failure: failureBeforeCommit(error) };
    }
  }

  #perform(tools: Tools, call: Call): unknown {
    const now = call.now ?? systemClock.now();
    return performWrite({ ...tools, now }, call);
  }

  #takeBack(tools: Tools, statements: readonly string[]): void {
    const { connection, names } = tools;
    names.forget();
    if (!isInTransaction(tools)) return;
    try {
      for (const statement of statements) connection.text(statement).run();
    } catch {
      this.#disconnect();
    }
  }

  #abandoned(calls: readonly Call[], answer: Answer): Answer[] {
    const said = 'failure' in answer ? answer.failure : null;
    const { message = 'the transaction ended early', trouble = null } = said ?? {};
    return sameFor(calls, { outcome: 'unchanged', message, trouble });
  }

  /** Moves the log into the database without waiting for anyone, so that it stays short. */
  checkpoint(isIdle: boolean): void {
    if (this.#tools === null) return;
    try {
      const { connection } = this.#tools;
      const state = connection.text('PRAGMA wal_checkpoint(NOOP)').get()!;
      const pages = Number(state['log']) - Number(state['checkpointed']);
      if (pages < (isIdle ? WAL_PAGES_IDLE : WAL_PAGES_BUSY)) return;
      connection.text('PRAGMA wal_checkpoint(PASSIVE)').get();
    } catch (error) {
      // What was committed is safe in the log; the next checkpoint tries again.
      if (breaksConnection(error)) this.#disconnect();
    }
  }

  close(): void {
    this.#disconnect();
    this.#mark?.close();
    this.#ownership?.release();
  }

  #connect(): Tools {
    const connection = new Connection(this.#options);
    return { connection, names: new Names(connection), log: new Log(connection) };
  }

  /** Without a commit, whatever the connection was doing is undone. */
  #disconnect(): void {
    const tools = this.#tools;
    this.#tools = null;
    tools?.connection.close();
  }

  #prepare(connection: Connection): void {
    connection.db.exec('BEGIN IMMEDIATE');
    try {
      const isNew = connection.db.prepare('SELECT 1 FROM sqlite_schema').get() === undefined;
      migrate(connection.db, systemClock.now());
      connection.sql('add_meta').run('incarnation', randomUUID().slice(0, 8));
      registerLifecycles(connection, this.#options.lifecycles);
      this.#mark?.check(connection, { now: systemClock.now(), isNew });
      connection.db.exec('COMMIT');
    } catch (error) {
      if (connection.db.isTransaction) connection.db.exec('ROLLBACK');
      throw error;
    }
  }
}

function isInTransaction({ connection: { db } }: Tools): boolean {
  return db.isOpen && db.isTransaction;
}

function sameFor(calls: readonly Call[], failure: Failure): Answer[] {
  return calls.map(() => ({ failure }));
}
