import type pg from 'pg';
import { importPeer } from '../../../scripts/peers/install.ts';
import { INPUT } from '../../core/contender.ts';
import type { Order, Place, Product } from '../product.ts';

interface Spec {
  readonly queueName?: string;
}

interface Utils {
  migrate(): Promise<void>;
  addJob(identifier: string, payload: object, spec?: Spec): Promise<unknown>;
  addJobs(jobs: readonly object[]): Promise<unknown>;
  release(): Promise<void>;
}

interface Options {
  readonly pgPool: pg.Pool;
  readonly logger: object;
  readonly preset: { readonly worker: object };
}

interface Graphile {
  makeWorkerUtils(options: Options): Promise<Utils>;
  run(
    options: Options & { noHandleSignals: boolean; taskList: object },
  ): Promise<{ stop(): Promise<void> }>;
  Logger: new (factory: () => () => void) => object;
}

const TASK = 'noop';

/** Graphile Worker; its jobs are deleted when they succeed, so what is left is what is there. */
export async function openGraphile({ url, settings }: Place): Promise<Product> {
  const graphile = await importPeer<Graphile>('graphile-worker');
  const { Pool } = (await importPeer<{ default: typeof pg }>('pg')).default;
  const pool = new Pool({ connectionString: url, max: Number(settings['maxPoolSize'] ?? 10) });
  const complain = (error: Error): void =>
    void process.stderr.write(`graphile-worker: ${error.message}\n`);
  // It insists on both.
  pool.on('error', complain);
  pool.on('connect', (client) => client.on('error', complain));
  // The stock logger prints a line a job.
  const logger = new graphile.Logger(() => () => undefined);
  const options = { pgPool: pool, logger, preset: { worker: settings } };
  const utils = await graphile.makeWorkerUtils(options);
  await utils.migrate();
  const specOf = ({ key }: Order): Spec => (key === null ? {} : { queueName: key });
  let runner: { stop(): Promise<void> } | null = null;
  return {
    async enqueue(order) {
      await utils.addJob(TASK, { ...INPUT, page: order.page }, specOf(order));
    },
    async enqueueAll(orders) {
      await utils.addJobs(
        orders.map((order) => {
          const payload = { ...INPUT, page: order.page };
          return { identifier: TASK, payload, ...specOf(order) };
        }),
      );
    },
    async work(handle) {
      const noop = (payload: { page: number }): void => handle(payload.page);
      const taskList = { [TASK]: noop };
      runner = await graphile.run({ ...options, noHandleSignals: true, taskList });
    },
    async left() {
      const { rows } = await pool.query<{ n: number }>(
        'SELECT count(*)::int AS n FROM graphile_worker._private_jobs',
      );
      return rows[0]!.n;
    },
    async close() {
      await runner?.stop();
      await utils.release();
      await pool.end();
    },
  };
}
