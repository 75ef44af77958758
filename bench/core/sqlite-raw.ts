import type { DatabaseSync, StatementResultingChanges } from 'node:sqlite';
import { systemClock } from '../../src/core/clock.ts';
import { systemIds } from '../../src/core/ids.ts';
import { Connection } from '../../src/store/sqlite/connection.ts';
import { type Call, type Contender, expectAll, type Holding, inBatches } from './contender.ts';
import type { Safeties } from './safeties.ts';
import type { Given, Job, LifeScript, Script, Statement } from './sqlite-script.ts';

const ids = systemIds(systemClock);

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
    const jobs = Array.from({ length: size }, (): Job => ({ id: bytesOf(ids.next()), seq: 0 }));
    const parts = this.#partsOf(jobs);
    return async () =>
      this.#transact(parts[0]!.script, (now) =>
        parts.flatMap(({ script, part }) => this.#play(script, { jobs: part, now, max: size })),
      );
  }

  /** As the store does it: as many at once as it has a statement for. */
  #partsOf(jobs: readonly Job[]): { script: Script; part: Job[] }[] {
    const parts = [];
    for (let start = 0; start < jobs.length;) {
      const sizes = [...this.#script.insert];
      const [size, script] = sizes.find(([one]) => one <= jobs.length - start)!;
      parts.push({ script, part: jobs.slice(start, start + size) });
      start += size;
    }
    return parts;
  }

  async claim(max: number): Promise<Holding> {
    let won: Job[] = [];
    const { claim } = this.#script;
    this.#transact(claim, (now) => (won = this.#play(claim, { jobs: [], now, max })));
    return {
      size: won.length,
      completions: async (batch) =>
        inBatches(won, batch).map((some) => async () => this.#complete(some)),
    };
  }

  #complete(jobs: readonly Job[]): void {
    const { complete } = this.#script;
    this.#transact(complete, (now) => this.#play(complete, { jobs, now, max: jobs.length }));
  }

  /** Answers with the jobs that it was about: those given, or those that it has found. */
  #play({ statements }: Script, { jobs: given, now, max }: Given): Job[] {
    let jobs = [...given];
    for (const statement of statements) {
      if (!this.#safeties.events && statement.text.startsWith('INSERT INTO events')) continue;
      if (statement.about === 'each') {
        for (const job of jobs) this.#change(statement, { jobs: [job], now, max });
      } else if (statement.about === 'none' || jobs.length > 0) {
        jobs = this.#change(statement, { jobs, now, max });
      }
    }
    return jobs;
  }

  /** Says it, and answers with what is known of the jobs afterwards. */
  #change(statement: Statement, given: Given): Job[] {
    const { way, text, method } = statement;
    const answer = this.#connection[way](text)[method](...statement.valuesFor(given));
    const jobs = [...given.jobs];
    if (Array.isArray(answer)) return this.#jobsIn(answer, statement) ?? jobs;
    if (!/^(INSERT INTO|UPDATE) jobs/.test(text)) return jobs;
    const { changes, lastInsertRowid } = answer as StatementResultingChanges;
    expectAll(Number(changes), jobs.length, 'changed');
    if (!text.startsWith('INSERT')) return jobs;
    const first = Number(lastInsertRowid) - jobs.length + 1;
    return jobs.map(({ id }, place) => ({ id, seq: first + place }));
  }

  /** Null for rows of which nothing can be known. */
  #jobsIn(rows: readonly unknown[], { way, text }: Statement): Job[] | null {
    const names = this.#connection[way](text)
      .columns()
      .map(({ name }) => name);
    const [hex, seq] = [names.indexOf('hex'), names.indexOf('seq')];
    if (hex === -1 || seq === -1 || way === 'sql') return null;
    return (rows as unknown[][]).map((row) => ({
      id: bytesOf(String(row[hex])),
      seq: Number(row[seq]),
    }));
  }

  #transact(script: Script, body: (now: number) => readonly Job[]): void {
    const now = Date.now();
    this.#connection.sql('BEGIN IMMEDIATE').run();
    const changed = body(now);
    if (this.#safeties.feed && changed.length > 0) {
      const refs = changed.map(({ seq }) => script.refsFor(seq)).join(',');
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
