import { importPeer } from '../../../scripts/peers/install.ts';
import { INPUT } from '../../core/contender.ts';
import type { Place, Product } from '../product.ts';

interface Queue {
  add(type: string, data: object): unknown;
  addMany(type: string, data: readonly object[]): unknown;
  countJobs(filter: { status: number }): number;
  close(): void;
}

interface Library {
  better(database: object): object;
  defineQueue(options: { connection: object; logger: object }): Queue;
  defineWorker(
    type: string,
    processor: (job: { readonly data: string }) => void,
    options: object,
  ): { start(): Promise<void>; stop(): Promise<void> };
}

interface Driver {
  readonly default: new (path: string) => object;
}

const TYPE = 'noop';
const PENDING = 0;
const PROCESSING = 1;

const quietly = (): void => undefined;
const complaining = (text: string): void => void process.stderr.write(`plainjob: ${text}\n`);

/** The stock logger prints several lines a job. */
const LOGGER = { debug: quietly, info: quietly, warn: complaining, error: complaining };

/** plainjob over better-sqlite3; it knows neither retries nor keys. */
export async function openPlainjob({ url, settings }: Place): Promise<Product> {
  const plainjob = await importPeer<Library>('plainjob');
  const { default: Database } = await importPeer<Driver>('better-sqlite3');
  const queue = plainjob.defineQueue({
    connection: plainjob.better(new Database(url)),
    logger: LOGGER,
  });
  let stop = async (): Promise<void> => undefined;
  return {
    async enqueue({ page }) {
      queue.add(TYPE, { ...INPUT, page });
    },
    async enqueueAll(orders) {
      queue.addMany(
        TYPE,
        orders.map(({ page }) => ({ ...INPUT, page })),
      );
    },
    async work(handle) {
      const processor = ({ data }: { readonly data: string }): void =>
        handle((JSON.parse(data) as { page: number }).page);
      const worker = plainjob.defineWorker(TYPE, processor, { queue, logger: LOGGER, ...settings });
      void worker.start();
      stop = () => worker.stop();
    },
    async left() {
      return queue.countJobs({ status: PENDING }) + queue.countJobs({ status: PROCESSING });
    },
    async close() {
      await stop();
      queue.close();
    },
  };
}
