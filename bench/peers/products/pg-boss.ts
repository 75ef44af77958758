import pg from 'pg';
import { importPeer } from '../../../scripts/peers/install.ts';
import { INPUT } from '../../core/contender.ts';
import type { Handle, Order, Place, Product } from '../product.ts';

interface JobOptions {
  readonly group?: { readonly id: string };
  readonly retryLimit?: number;
  readonly retryDelay?: number;
}

interface BossJob {
  readonly id: string;
  readonly data: { readonly page: number };
}

interface Outcome {
  readonly id: string;
  readonly status: 'completed' | 'failed';
}

interface Boss {
  on(event: 'error', listener: (error: Error) => void): void;
  start(): Promise<unknown>;
  stop(options: { graceful: boolean; timeout: number }): Promise<void>;
  createQueue(name: string, options: object): Promise<void>;
  send(name: string, data: object, options: JobOptions): Promise<string | null>;
  insert(name: string, jobs: readonly object[]): Promise<unknown>;
  work(
    name: string,
    options: object,
    handler: (jobs: readonly BossJob[]) => Promise<Outcome[] | void>,
  ): Promise<string>;
}

interface Library {
  readonly PgBoss: new (options: object) => Boss;
}

const QUEUE = 'noop';

/** pg-boss; finished jobs stay in its table. Its options are of the boss, the queue, the work. */
export async function openPgBoss({ url, settings, rules }: Place): Promise<Product> {
  const { PgBoss } = await importPeer<Library>('pg-boss');
  const boss = new PgBoss({ connectionString: url, ...(settings['boss'] as object | undefined) });
  boss.on('error', (error) => process.stderr.write(`pg-boss: ${error.message}\n`));
  await boss.start();
  await boss.createQueue(QUEUE, (settings['queue'] as object | undefined) ?? {});
  const counter = new pg.Pool({ connectionString: url, max: 1 });
  counter.on('error', () => undefined);
  const optionsOf = ({ key }: Order): JobOptions => ({
    ...(key === null ? {} : { group: { id: key } }),
    ...(rules.isRetried ? { retryLimit: 2, retryDelay: 0 } : {}),
  });
  return {
    async enqueue(order) {
      await boss.send(QUEUE, { ...INPUT, page: order.page }, optionsOf(order));
    },
    async enqueueAll(orders) {
      const jobs = orders.map((order) => {
        return { data: { ...INPUT, page: order.page }, ...optionsOf(order) };
      });
      await boss.insert(QUEUE, jobs);
    },
    async work(handle) {
      const options = {
        ...(settings['work'] as object | undefined),
        ...(rules.isKeyed ? { groupConcurrency: 1 } : {}),
        ...(rules.isRetried ? { perJobResults: true } : {}),
      };
      const handler = rules.isRetried ? eachByItself(handle) : together(handle);
      await boss.work(QUEUE, options, handler);
    },
    async left() {
      const { rows } = await counter.query<{ n: number }>(
        `SELECT count(*)::int AS n FROM pgboss.job WHERE name = $1 AND state < 'completed'`,
        [QUEUE],
      );
      return rows[0]!.n;
    },
    async close() {
      await counter.end();
      await boss.stop({ graceful: false, timeout: 1_000 });
    },
  };
}

function together(handle: Handle) {
  return async (jobs: readonly BossJob[]): Promise<void> => {
    for (const { data } of jobs) handle(data.page);
  };
}

/** A failure would otherwise fail the whole batch. */
function eachByItself(handle: Handle) {
  return async (jobs: readonly BossJob[]): Promise<Outcome[]> =>
    jobs.map(({ id, data }) => {
      try {
        handle(data.page);
        return { id, status: 'completed' };
      } catch {
        return { id, status: 'failed' };
      }
    });
}
