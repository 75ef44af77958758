import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import type * as Pawl from 'pawl';
import { ENTRY } from '../built.ts';
import { INPUT } from '../../core/contender.ts';
import type { Handle, Order, Place, Product, Rules } from '../product.ts';

const entry = process.env[ENTRY] ?? '../../../packages/pawl/src/index.ts';
const pawlModule = (await import(entry)) as typeof Pawl;
const { defineJob, openPawl, TransientError, typed } = pawlModule;

const TYPE = 'noop';

interface Input {
  readonly page: number;
}

/** Which errors are worth another attempt is the type's to say. */
const RETRIED = {
  maxAttempts: 3,
  backoff: 0,
  retryable: ['TransientError'],
} as const;

function jobFor(handle: Handle, { isRetried, isKeyed }: Rules): Pawl.JobDefinition<Input, void> {
  return defineJob(TYPE, {
    input: typed<Input>(),
    ...(isRetried ? RETRIED : {}),
    ...(isKeyed ? { limits: { runningPerKey: { max: 1, key: 'correlationId' } } } : {}),
    run: ({ input }) => {
      try {
        handle(input.page);
      } catch (error) {
        throw new TransientError(String(error));
      }
    },
  });
}

/** The library inside a program: what `pawl worker` runs, without the settings and the log. */
export async function openPawlProduct({ url, settings, rules }: Place): Promise<Product> {
  let handle: Handle = () => undefined;
  const job = jobFor((page) => handle(page), rules);
  const pawl = await openPawl({ database: url, jobs: [job] });
  const counter = openCounter(url);
  const moreOf = ({ key }: Order): { correlationId?: string } =>
    key === null ? {} : { correlationId: key };
  return {
    async enqueue(order) {
      await pawl.enqueue(job, { ...INPUT, page: order.page }, moreOf(order));
    },
    async enqueueAll(orders) {
      const inputs = orders.map(({ page }) => ({ ...INPUT, page }));
      await pawl.enqueueMany(job, inputs, (_, index) => moreOf(orders[index]!));
    },
    async work(given) {
      handle = given;
      pawl.work(settings);
    },
    left: () => counter.left(),
    async close() {
      await counter.close();
      await pawl.close();
    },
  };
}

interface Counter {
  left(): Promise<number>;
  close(): Promise<void>;
}

/** On SQLite phases from 5 on are ends; on PostgreSQL who has ended is in another table. */
function openCounter(url: string): Counter {
  if (!url.startsWith('postgres')) {
    const db = new DatabaseSync(url, { readOnly: true });
    const count = db.prepare('SELECT count(*) AS n FROM live');
    return { left: async () => Number(count.get()!['n']), close: async () => db.close() };
  }
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  pool.on('error', () => undefined);
  return {
    async left() {
      const { rows } = await pool.query<{ n: number }>('SELECT count(*)::int AS n FROM pawl.live');
      return rows[0]!.n;
    },
    close: () => pool.end(),
  };
}
