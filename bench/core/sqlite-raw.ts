import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { systemClock } from '../../src/core/clock.ts';
import { systemIds } from '../../src/core/ids.ts';
import { Connection } from '../../src/store/sqlite/connection.ts';
import {
  type Contender,
  expectAll,
  type Holding,
  inBatches,
  INPUT,
  LEASE,
  QUEUE,
} from './contender.ts';
import type { Safeties } from './safeties.ts';
import { statements } from './sqlite-statements.ts';

const OWNER = 'bench-raw';
const ids = systemIds(systemClock);

/** What a job of the benchmark refers to by number. */
interface Numbers {
  readonly tenant: number;
  readonly lifecycle: number;
  readonly policy: number;
}

/** The ceiling: the store's statements in a bare loop, with no engine, no threads, no checks. */
export class SqliteRaw implements Contender {
  readonly label: string;
  readonly rows: number;
  readonly #connection: Connection;
  readonly #safeties: Safeties;
  readonly #numbers: Numbers;
  #refs: number[] = [];

  constructor(path: string, named: { label: string; rows: number; safeties: Safeties }) {
    this.label = named.label;
    this.rows = named.rows;
    this.#safeties = named.safeties;
    this.#connection = new Connection({ path, synchronous: 'full' });
    const { db } = this.#connection;
    // The store checkpoints by itself between commits; here SQLite does, as often.
    db.exec('PRAGMA wal_autocheckpoint = 4000');
    if (!named.safeties.guard) dropTriggers(db);
    this.#numbers = numbersOf(db);
  }

  enqueue(size: number): () => Promise<void> {
    const jobs = Array.from({ length: size }, () => bytesOf(ids.next()));
    const input = JSON.stringify(INPUT);
    return async () =>
      this.#transact((now) => {
        for (const id of jobs) this.#insert({ id, input, now });
      });
  }

  #insert({ id, input, now }: { id: Uint8Array; input: string; now: number }): void {
    const { tenant, lifecycle, policy } = this.#numbers;
    this.#connection.sql(statements.isThere).get(tenant, id);
    const place = [lifecycle, policy, 'raw', QUEUE, 'pending', 1, 1, 0, 0, now, null, 3, now, now];
    const labels = [null, null, null, null, null, null];
    const { lastInsertRowid } = this.#connection
      .sql(statements.insert)
      .run(id, tenant, ...place, ...labels, input);
    const fact = ['job_created', now, 'api', null, null, null, 'pending', 1, 1, 0];
    this.#event(Number(lastInsertRowid), 1, fact);
  }

  async claim(max: number): Promise<Holding> {
    const won: Uint8Array[] = [];
    this.#transact((now) => {
      const rows = this.#connection
        .sql(statements.firstOfLane)
        .all(this.#numbers.tenant, QUEUE, 'raw', max);
      for (const row of rows) {
        const seq = row['seq'] as number;
        const lease = [OWNER, now + LEASE.ttlMs, now + LEASE.ttlMs, null];
        this.#connection
          .sql(statements.take)
          .run('running', 3, 1, 2, 1, 0, ...lease, now, now, seq);
        const fact = ['job_claimed', now, OWNER, null, null, 'pending', 'running', 3, 1, 1];
        this.#event(seq, 2, fact);
        won.push(row['id'] as Uint8Array);
      }
    });
    return {
      size: won.length,
      completions: (batch) => inBatches(won, batch).map((some) => async () => this.#complete(some)),
    };
  }

  #complete(jobs: readonly Uint8Array[]): void {
    let moved = 0;
    this.#transact((now) => {
      for (const id of jobs) {
        const row = this.#connection.sql(statements.find).get(this.#numbers.tenant, id)!;
        const expiry = row['lease_expiry'] as number;
        if (row['epoch'] !== 1 || row['lease_owner'] !== OWNER || expiry <= now) continue;
        const seq = row['seq'] as number;
        const place = ['succeeded', 5, 1, 3, null, row['run_at']!, 1, 0, null, 100, 0];
        const rest = [null, null, null, null, null, null, now, row['started_at']!, now, 0, null];
        this.#connection.sql(statements.step).run(...place, ...rest, seq);
        const fact = ['job_succeeded', now, OWNER, null, null, 'running', 'succeeded', 5, 1, 1];
        this.#event(seq, 3, fact);
        moved += 1;
      }
    });
    expectAll(moved, jobs.length, 'completed');
  }

  #event(seq: number, version: number, fact: readonly SQLInputValue[]): void {
    const progress = version === 3 ? 100 : 0;
    if (this.#safeties.events) {
      this.#connection.sql(statements.event).run(seq, version, ...fact, 0, progress, null, null);
    }
    this.#refs.push(seq, version, 0);
  }

  #transact(body: (now: number) => void): void {
    const now = Date.now();
    this.#connection.sql('BEGIN IMMEDIATE').run();
    body(now);
    if (this.#safeties.feed && this.#refs.length > 0) {
      this.#connection.sql(statements.feed).run(now, this.#refs.join(','));
    }
    this.#refs = [];
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

function numbersOf(db: DatabaseSync): Numbers {
  const row = db
    .prepare(
      `SELECT t.tenant_id AS tenant, l.id AS lifecycle, t.policy FROM types t
       JOIN policies p ON p.number = t.policy
       JOIN lifecycles l ON l.name = json_extract(p.policy, '$.lifecycle')`,
    )
    .get();
  if (row === undefined) throw new Error('no type is registered in the database of the raw loop');
  return row as unknown as Numbers;
}
