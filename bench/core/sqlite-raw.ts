import type { DatabaseSync, StatementResultingChanges } from 'node:sqlite';
import { systemClock } from '../../src/core/clock.ts';
import { systemIds } from '../../src/core/ids.ts';
import { Connection } from '../../src/store/sqlite/connection.ts';
import { type Call, type Contender, expectAll, type Holding, inBatches } from './contender.ts';
import type { Safeties } from './safeties.ts';
import type { Given, LifeScript, Script, Statement } from './sqlite-script.ts';

const ids = systemIds(systemClock);
const NOBODY = new Uint8Array(16);

/** A job in hand, as the database knows it. */
interface Held {
  readonly id: Uint8Array;
  readonly seq: number;
}

/** The ceiling: what the store says to SQLite, in a bare loop without engine and threads. */
export class SqliteRaw implements Contender {
  readonly label: string;
  readonly rows: number;
  readonly #connection: Connection;
  readonly #safeties: Safeties;
  readonly #script: LifeScript;

  constructor(
    path: string,
    named: { label: string; rows: number; safeties: Safeties; script: LifeScript },
  ) {
    this.label = named.label;
    this.rows = named.rows;
    this.#safeties = named.safeties;
    this.#script = named.script;
    this.#connection = new Connection({ path, synchronous: 'full' });
    const { db } = this.#connection;
    // The store checkpoints by itself between commits; here SQLite does, as often.
    db.exec('PRAGMA wal_autocheckpoint = 4000');
    if (!named.safeties.guard) dropTriggers(db);
  }

  async enqueue(size: number): Promise<Call> {
    const jobs = Array.from({ length: size }, () => bytesOf(ids.next()));
    const { insert } = this.#script;
    return async () =>
      this.#transact(insert, (now) => {
        this.#sayOnce(insert, { now, max: size });
        return jobs.map((id) => this.#sayEach(insert, { id, seq: 0, now, max: size }));
      });
  }

  async claim(max: number): Promise<Holding> {
    let won: Held[] = [];
    const { claim } = this.#script;
    this.#transact(claim, (now) => {
      won = this.#sayOnce(claim, { now, max });
      return won.map((held) => this.#sayEach(claim, { ...held, now, max }));
    });
    return {
      size: won.length,
      completions: async (batch) =>
        inBatches(won, batch).map((some) => async () => this.#complete(some)),
    };
  }

  #complete(held: readonly Held[]): void {
    const { complete } = this.#script;
    this.#transact(complete, (now) => {
      this.#sayOnce(complete, { now, max: held.length });
      return held.map((job) => this.#sayEach(complete, { ...job, now, max: held.length }));
    });
  }

  /** Answers with the jobs of the last list that was not empty: those of the claim. */
  #sayOnce(script: Script, { now, max }: Pick<Given, 'now' | 'max'>): Held[] {
    let held: Held[] = [];
    for (const statement of script.once) {
      const answer = this.#say(statement, { id: NOBODY, seq: 0, now, max });
      if (Array.isArray(answer) && answer.length > 0) held = this.#jobsIn(answer, statement);
    }
    return held;
  }

  #jobsIn(rows: readonly object[], { way, text }: Statement): Held[] {
    if (way === 'sql') return rows as Held[];
    const names = this.#connection
      .lists(text)
      .columns()
      .map(({ name }) => name);
    const [id, seq] = [names.indexOf('id'), names.indexOf('seq')];
    return (rows as unknown[][]).map((row) => ({ id: row[id], seq: row[seq] }) as Held);
  }

  /** Answers with the job's number, which is new where it is inserted. */
  #sayEach(script: Script, given: Given): number {
    let { seq } = given;
    for (const statement of script.each) {
      if (!this.#safeties.events && statement.text.startsWith('INSERT INTO events')) continue;
      const answer = this.#say(statement, { ...given, seq });
      if (!/^(INSERT INTO|UPDATE) jobs/.test(statement.text)) continue;
      const { changes, lastInsertRowid } = answer as StatementResultingChanges;
      expectAll(Number(changes), 1, 'changed');
      if (seq === 0) seq = Number(lastInsertRowid);
    }
    return seq;
  }

  #say(statement: Statement, given: Given): unknown {
    const { way, text, method } = statement;
    return this.#connection[way](text)[method](...statement.valuesFor(given));
  }

  #transact(script: Script, body: (now: number) => readonly number[]): void {
    const now = Date.now();
    this.#connection.sql('BEGIN IMMEDIATE').run();
    const changed = body(now);
    if (this.#safeties.feed && changed.length > 0) {
      const refs = changed.map((seq) => script.refsFor(seq)).join(',');
      this.#connection.sql(script.feed).run(now, refs);
    }
    this.#connection.sql('COMMIT').run();
  }

  async close(): Promise<void> {
    this.#connection.close();
  }
}

function bytesOf(id: string): Uint8Array {
  return Buffer.from(id.replaceAll('-', ''), 'hex');
}

function dropTriggers(db: DatabaseSync): void {
  const triggers = db.prepare(`SELECT name FROM sqlite_schema WHERE type = 'trigger'`).all();
  for (const { name } of triggers) db.exec(`DROP TRIGGER ${String(name)}`);
}
