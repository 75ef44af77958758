// One process of the benchmark: a producer, a worker, or both, of whichever product it is told.
import { setTimeout as sleep } from 'node:timers/promises';
import { openProduct, type Order, type Product } from './product.ts';
import { type Load, type Message, nowMs, type Question, type Verbs } from './wire.ts';

/** How often the other side hears how many jobs were handled. */
const TELL_MS = 10;

let product: Product | null = null;
const work = { handled: 0, cpu: process.cpuUsage(), starts: new Map<number, number>() };

function tell(message: Message): void {
  process.send!(message);
}

function opened(): Product {
  if (product === null) throw new Error('nothing is open yet');
  return product;
}

function orderOf(page: number, keys: number): Order {
  return { page, key: keys === 0 ? null : `key-${page % keys}` };
}

async function enqueueAll({ jobs, batch, keys }: Load): Promise<void> {
  for (let page = 0; page < jobs; page += batch) {
    const size = Math.min(batch, jobs - page);
    await opened().enqueueAll(
      Array.from({ length: size }, (_, index) => orderOf(page + index, keys)),
    );
  }
}

async function startWork(failsEvery: number | null): Promise<void> {
  let told = 0;
  setInterval(() => {
    if (work.handled === told) return;
    told = work.handled;
    tell({ kind: 'handled', count: told });
  }, TELL_MS);
  work.cpu = process.cpuUsage();
  await opened().work((page) => {
    const isFirst = !work.starts.has(page);
    if (isFirst) work.starts.set(page, nowMs());
    work.handled += 1;
    if (isFirst && failsEvery !== null && page % failsEvery === 0) throw new Error('once');
  });
}

const verbs: Verbs = {
  async open(place) {
    product = await openProduct(place);
  },
  async enqueueFor({ ms, callers }) {
    const began = nowMs();
    let page = 0;
    const caller = async (): Promise<void> => {
      while (nowMs() - began < ms) await opened().enqueue(orderOf(page++, 0));
    };
    await Promise.all(Array.from({ length: callers }, caller));
    return { jobs: page, ms: nowMs() - began };
  },
  async enqueueAll(load) {
    const began = nowMs();
    await enqueueAll(load);
    return { jobs: load.jobs, ms: nowMs() - began };
  },
  async enqueueOne(page) {
    const at = nowMs();
    await opened().enqueue(orderOf(page, 0));
    return at;
  },
  async enqueueAtPace({ jobs, gapMs }) {
    const began = nowMs();
    const calls: Promise<void>[] = [];
    const moments: number[] = [];
    while (moments.length < jobs) {
      const due = Math.min(jobs, Math.floor((nowMs() - began) / gapMs) + 1);
      while (moments.length < due) {
        const page = moments.length;
        moments.push(nowMs());
        calls.push(opened().enqueue(orderOf(page, 0)));
      }
      await sleep(1);
    }
    await Promise.all(calls);
    return moments;
  },
  work: ({ failsEvery }) => startWork(failsEvery),
  left: () => opened().left(),
  async usage() {
    const { user, system } = process.cpuUsage(work.cpu);
    const { rss } = process.memoryUsage();
    return { cpuMicros: user + system, rssBytes: rss, handled: work.handled };
  },
  async starts(jobs) {
    return Array.from({ length: jobs }, (_, page) => work.starts.get(page) ?? Number.NaN);
  },
  async close() {
    await product?.close();
  },
};

async function answer({ id, verb, given }: Question): Promise<void> {
  try {
    const value = await (verbs[verb] as (given: unknown) => Promise<unknown>)(given);
    tell({ kind: 'answer', id, value });
  } catch (error) {
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
    tell({ kind: 'failure', id, message });
  }
}

process.on('message', (question) => void answer(question as Question));
// Ctrl-C reaches every process of a terminal: the one that conducts decides when this one ends.
process.on('SIGINT', () => undefined);
// Nobody is left who could ask: the benchmark has ended, however that was.
process.on('disconnect', () => process.exit());
