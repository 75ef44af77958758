import { INPUT } from '../../core/contender.ts';
import type { Handle, Place, Product } from '../product.ts';

interface BullJob {
  readonly data: { readonly page: number };
}

interface Queue {
  add(name: string, data: object, options?: object): Promise<unknown>;
  addBulk(jobs: readonly { name: string; data: object; opts?: object }[]): Promise<unknown>;
  getJobCounts(...types: string[]): Promise<Record<string, number>>;
  waitUntilReady(): Promise<unknown>;
  close(): Promise<void>;
}

interface Worker {
  on(event: 'error', listener: (error: Error) => void): void;
  waitUntilReady(): Promise<unknown>;
  run(): Promise<void>;
  close(): Promise<void>;
}

/** BullMQ's two classes, bound to whichever database. */
export interface BullClasses {
  readonly Queue: new (name: string, options: object) => Queue;
  readonly Worker: new (
    name: string,
    processor: (job: BullJob) => Promise<void>,
    options: object,
  ) => Worker;
}

const QUEUE = 'noop';
const UNFINISHED = ['waiting', 'active', 'delayed', 'prioritized', 'paused', 'waiting-children'];

/** One queue and one worker, on connections that the given functions make. */
export async function openBull(
  { Queue, Worker }: BullClasses,
  { settings, rules }: Place,
  connection: () => unknown,
): Promise<Product> {
  const queue = new Queue(QUEUE, { connection: connection() });
  await queue.waitUntilReady();
  const jobOptions = rules.isRetried ? { attempts: 3 } : {};
  let worker: Worker | null = null;
  return {
    async enqueue({ page }) {
      await queue.add(QUEUE, { ...INPUT, page }, jobOptions);
    },
    async enqueueAll(orders) {
      await queue.addBulk(
        orders.map(({ page }) => ({ name: QUEUE, data: { ...INPUT, page }, opts: jobOptions })),
      );
    },
    async work(handle: Handle) {
      const processor = async ({ data }: BullJob): Promise<void> => handle(data.page);
      worker = new Worker(QUEUE, processor, { connection: connection(), ...settings });
      worker.on('error', (error) => process.stderr.write(`bullmq: ${error.message}\n`));
    },
    async left() {
      const counts = await queue.getJobCounts(...UNFINISHED);
      return Object.values(counts).reduce((sum, count) => sum + count, 0);
    },
    async close() {
      await worker?.close();
      await queue.close();
    },
  };
}
