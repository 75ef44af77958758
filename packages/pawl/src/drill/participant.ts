// `participant.ts <order>`: a process of one release in an upgrade drill. It uses only what users
// import, so that the code of a later release can drive an earlier one.
import type * as Client from '../client/client.ts';
import type { defineJob as DefineJob } from '../handler/define-job.ts';
import type { typed as Typed } from '../handler/schema.ts';
import type { openPawl as OpenPawl } from '../pawl/open-pawl.ts';
import { DRILL, type Order, type Report } from './order.ts';

const order = JSON.parse(process.argv[2] ?? '{}') as Order;
interface Library {
  readonly defineJob: typeof DefineJob;
  readonly openPawl: typeof OpenPawl;
  readonly typed: typeof Typed;
}

const { defineJob, openPawl, typed } = (await import(order.library)) as Library;
const { PawlClient } = (await import(order.client)) as typeof Client;
const token = process.env['PAWL_KEY'];

const step = defineJob(`${DRILL}-step`, {
  input: typed<{ n: number }>(),
  retryable: ['TransientError'],
  run: ({ input, progress }) => {
    progress({ percent: 50 });
    return { n: input.n };
  },
});

/** Its two turns may run in processes of two releases. */
const flow = defineJob(`${DRILL}-flow`, {
  input: typed<{ n: number }>(),
  calls: [step],
  run: async ({ input, call }) => {
    const { n } = await call('step', step, { n: input.n });
    return { n };
  },
});

const report: Report = { submitted: [], slowestMs: 0 };
const stopping = new AbortController();
process.stdin
  .once('end', () => stopping.abort())
  .once('error', () => stopping.abort())
  .resume();

const { database, servers, name } = order;
const pawl = await openPawl({ database, jobs: [step, flow], log: false });
pawl.work({ name, slots: 4 });
const clients = servers.map(
  (url) => new PawlClient({ url, ...(token === undefined ? {} : { token }) }),
);

type Verbs = Pick<typeof pawl, 'enqueue'>;

/** Enqueues one job and waits for its result, which either release may have made. */
async function turn(verbs: Verbs, type: typeof step, n: number): Promise<void> {
  const began = performance.now();
  const handle = await verbs.enqueue(type, { n }, { queue: DRILL });
  report.slowestMs = Math.max(report.slowestMs, performance.now() - began);
  report.submitted.push(handle.id);
  const result = (await handle.result()) as { n: number };
  if (result.n !== n) throw new Error(`job ${handle.id} returned ${result.n} instead of ${n}`);
}

process.stdout.write('ready\n');
for (let n = 0; !stopping.signal.aborted; n++) {
  await turn(pawl, n % 5 === 0 ? flow : step, n);
  for (const client of clients) await turn(client, step, n);
  process.stdout.write(`${report.submitted.length}\n`);
}
await pawl.close();
process.stdout.write(`${JSON.stringify(report)}\n`);
process.exit(0);
