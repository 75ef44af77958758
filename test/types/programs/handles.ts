// What the compiler knows of jobs that were enqueued, and what it refuses. Compiled, never run.
import {
  declareJob,
  defineJob,
  isJobFailed,
  type JobHandle,
  type JobSnapshot,
  lifecycles,
  openPawl,
  type Transaction,
  typed,
} from 'pawl';
import { openWorld } from 'pawl/testing';

/** True only where both are the very same type. */
type Same<One, Other> =
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- compared, never called
  (<T>() => T extends One ? 1 : 2) extends <T>() => T extends Other ? 1 : 2 ? true : false;
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the claim is the argument
declare function sure<Claim extends true>(claim?: Claim): void;

const invoice = defineJob('invoice', {
  input: typed<{ order: number; at?: Date }>(),
  run: ({ input }) => ({ file: `${input.order}.pdf`, madeAt: new Date(), note: undefined }),
});
type Invoice = { file: string; madeAt: string };
const tidy = defineJob('tidy', { run: () => 7 });
const silent = defineJob('silent', { run: async () => undefined });
const resize = declareJob('resize', {
  input: typed<{ width: number }>(),
  result: typed<{ width: number; sizes: readonly number[] }>(),
});
type Resized = { width: number; sizes: readonly number[] };

const pawl = await openPawl({ database: ':memory:', jobs: [invoice, tidy, silent, resize] });

// --- enqueue -----------------------------------------------------------------------------------

const job = await pawl.enqueue(invoice, { order: 17 });
const made = await job.result({ timeout: '5s' });
sure<Same<typeof made, Invoice>>();
// @ts-expect-error a Date comes back as a text
const madeAt: Date = made.madeAt;
// @ts-expect-error a member that the result does not have
void made.files;
const seven = await (await pawl.enqueue(tidy)).result();
sure<Same<typeof seven, number>>();
const nothing = await (await pawl.enqueue(silent)).result();
sure<Same<typeof nothing, undefined>>();
const resized = await (await pawl.enqueue(resize, { width: 800 })).result();
sure<Same<typeof resized, Resized>>();
const passed: JobHandle<{ file: string; madeAt: Date }> = job;
// @ts-expect-error a handle of another result
const other: JobHandle<string> = job;
// @ts-expect-error words are no duration
await job.result({ timeout: 'soon' });

// --- snapshots, events, reruns -----------------------------------------------------------------

const snapshot = await job.ended();
sure<Same<typeof snapshot.result, Invoice | undefined>>();
sure<Same<typeof snapshot.input.order, number>>();
sure<Same<typeof snapshot.input.at, string | undefined>>();
sure<Same<typeof snapshot.createdAt, Date>>();
const any: JobSnapshot = snapshot;
// @ts-expect-error the input is a value by now, no JSON text
JSON.parse(snapshot.input);
const again = await (await job.rerun({ input: { order: 18 } })).result();
sure<Same<typeof again, Invoice>>();
// @ts-expect-error a job is run again with an input of its type
await job.rerun({ input: { order: 'eighteen' } });
const kept = await (await job.rerun({ keep: true })).result();
sure<Same<typeof kept, Invoice>>();
// @ts-expect-error what is kept is not chosen by name
await job.rerun({ keep: ['plan'] });
for await (const event of job.events({ after: 'cursor' })) {
  sure<Same<typeof event.at, Date>>();
  // @ts-expect-error an event that there is none of
  if (event.type === 'job_exploded') break;
}
await job.cancel({ mode: 'hard', reason: 'ordered twice' });
// @ts-expect-error a mode that there is none of
await job.cancel({ mode: 'harder' });

// --- Many at once ------------------------------------------------------------------------------

const many = await pawl.enqueueMany(invoice, [{ order: 1 }, { order: 2 }], ({ order }, index) => {
  sure<Same<typeof order, number>>();
  return { key: `invoice-${order}`, delay: index };
});
const all = await Promise.all(many.map((one) => one.result()));
sure<Same<typeof all, Invoice[]>>();
// @ts-expect-error each input is checked
await pawl.enqueueMany(invoice, [{ order: 1 }, { odor: 2 }]);
// @ts-expect-error and so are the options
await pawl.enqueueMany(invoice, [{ order: 1 }], { prority: 'high' });
for (const tried of await pawl.tryEnqueueMany(invoice, [{ order: 1 }])) {
  if (tried.ok) {
    const one = await tried.job.result();
    sure<Same<typeof one, Invoice>>();
  } else sure<Same<typeof tried.error, Error>>();
}

// --- By id, and lists --------------------------------------------------------------------------

const known = await pawl.job(invoice, 'id').result();
sure<Same<typeof known, Invoice>>();
const declared = await pawl.job(resize, 'id').result();
sure<Same<typeof declared, Resized>>();
const stranger = await pawl.job('id').result();
sure<Same<typeof stranger, unknown>>();
const { items } = await pawl.jobs({ type: invoice, phase: 'succeeded' });
sure<Same<(typeof items)[number]['result'], Invoice | undefined>>();
const mixed = await pawl.jobs({ type: 'invoice' });
sure<Same<(typeof mixed.items)[number]['result'], unknown>>();
// @ts-expect-error a phase that there is none of
await pawl.jobs({ phase: 'finished' });
const ofTenant = await (await pawl.tenant('acme').enqueue(invoice, { order: 1 })).result();
sure<Same<typeof ofTenant, Invoice>>();

// --- Schedules ---------------------------------------------------------------------------------

await pawl.schedule('nightly', { cron: '0 3 * * *', timezone: 'UTC' }, invoice, { order: 1 });
await pawl.schedule('hourly', { every: '1h', missed: 'skip' }, tidy);
await pawl.schedule('once', { at: new Date() }, tidy, { queue: 'night' });
// @ts-expect-error an input is needed
await pawl.schedule('nightly', { cron: '0 3 * * *' }, invoice);
// @ts-expect-error of the job's type
await pawl.schedule('nightly', { cron: '0 3 * * *' }, invoice, { order: 'one' });
// @ts-expect-error a job without input takes none
await pawl.schedule('hourly', { every: '1h' }, tidy, { order: 1 });
// @ts-expect-error a rule says when
await pawl.schedule('never', { timezone: 'UTC' }, tidy);
// @ts-expect-error a time is given by the rule, not by the job
await pawl.schedule('hourly', { every: '1h' }, tidy, { delay: '5m' });

// --- Options -----------------------------------------------------------------------------------

declare const tx: Transaction;
await pawl.enqueue(tidy, { tx, delay: '5m', priority: 'high', maxAttempts: 1, backoff: '1s' });
await pawl.enqueue(tidy, { at: new Date(), deadline: '1h', timeout: '5m', limitKey: 'acme' });
await pawl.enqueue(tidy, { unique: { mode: 'debounce', key: 'tidy', window: '1s' } });
// @ts-expect-error a window is needed to debounce
await pawl.enqueue(tidy, { unique: { mode: 'debounce', key: 'tidy' } });
// @ts-expect-error a date is a Date
await pawl.enqueue(tidy, { at: Date.now() });
// @ts-expect-error an option of the wire
await pawl.enqueue(tidy, { idempotencyKey: 'tidy' });
// @ts-expect-error a pool has no transaction
await pawl.enqueue(tidy, { tx: 'BEGIN' });
// @ts-expect-error lifecycles are found under one name
defineJob('bad', { lifecycle: lifecycles.tasks, run: () => 1 });
// @ts-expect-error the engine is nobody's business
void pawl.engine;

// --- Errors, and tests -------------------------------------------------------------------------

try {
  await job.result();
} catch (error) {
  if (isJobFailed(error)) {
    sure<Same<typeof error.attempts, number>>();
    sure<Same<typeof error.error.stack, string | undefined>>();
  }
}
await using world = await openWorld({ jobs: [invoice, resize] });
world.stub(resize, ({ input }) => ({ width: input.width, sizes: [input.width] }));
// @ts-expect-error a stub gives what the job gives
world.stub(resize, () => ({ width: 'wide', sizes: [] }));
const tested = await (await world.enqueue(invoice, { order: 1 })).result();
sure<Same<typeof tested, Invoice>>();

export const used = [madeAt, passed, other, any];

// --- queues ------------------------------------------------------------------------------------

const { pausedUntil } = await pawl.queue('bulk').pause({ until: '2h', reason: 'maintenance' });
sure<Same<typeof pausedUntil, Date | null>>();
await pawl.queue('bulk').pause({ until: new Date() });
// @ts-expect-error words are neither a time nor a duration
await pawl.queue('bulk').pause({ until: 'tomorrow' });
