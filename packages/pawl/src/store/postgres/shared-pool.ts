import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool, PoolClient, PoolConfig } from 'pg';

/** So long is waited for a connection of a pool that others hold. */
const PATIENCE_MS = 50;

type PoolKind = new (options: PoolConfig) => Pool;

/**
 * Connections of a pool that the program uses as well. It may hold all of them and wait for us, in
 * transactions that it enqueues in: then one more is opened beside the pool, like those in it.
 */
export class SharedPool {
  readonly #pool: Pool;
  readonly #prepare: (pool: Pool) => void;
  #spare: Pool | null = null;

  constructor(pool: Pool, prepare: (pool: Pool) => void) {
    this.#pool = pool;
    this.#prepare = prepare;
  }

  async connect(): Promise<PoolClient> {
    const { idleCount, totalCount, waitingCount, options } = this.#pool;
    const wanted = this.#pool.connect();
    const hasRoom = idleCount > 0 || totalCount < options.max;
    if ((hasRoom && waitingCount === 0) || (await isSettledSoon(wanted))) return wanted;
    const both = [wanted, this.#spares().connect()];
    const client = await Promise.any(both).catch(() => wanted);
    for (const one of both) one.then((other) => other === client || other.release(), ignore);
    return client;
  }

  async close(): Promise<void> {
    await this.#spare?.end();
  }

  #spares(): Pool {
    if (this.#spare !== null) return this.#spare;
    const { options } = this.#pool;
    const Kind = this.#pool.constructor as PoolKind;
    // Pools hide the password from those who look through their options.
    const password = options.password as string | undefined;
    this.#spare = new Kind({ ...options, password, min: 0, max: 1, idleTimeoutMillis: 10_000 });
    this.#prepare(this.#spare);
    return this.#spare;
  }
}

function ignore(): void {}

/** True once it has an answer, also one that is an error. */
async function isSettledSoon(answer: Promise<unknown>): Promise<boolean> {
  const stop = new AbortController();
  const settled = answer.then(
    () => true,
    () => true,
  );
  const late = sleep(PATIENCE_MS, false, { signal: stop.signal }).catch(() => false);
  try {
    return await Promise.race([settled, late]);
  } finally {
    stop.abort();
  }
}
