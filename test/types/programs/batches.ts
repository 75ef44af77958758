// What the compiler knows of handlers of many jobs, and what it refuses. Compiled, never run.
import { declareJob, openPawl, typed } from 'pawl';

/** True only where both are the very same type. */
type Same<One, Other> =
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- compared, never called
  (<T>() => T extends One ? 1 : 2) extends <T>() => T extends Other ? 1 : 2 ? true : false;
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the claim is the argument
declare function sure<Claim extends true>(claim?: Claim): void;

const document = declareJob('index', { input: typed<{ id: number; text: string }>() });

const index = document.runMany({ max: 100, wait: '50ms', maxAttempts: 5 }, async (jobs) => {
  sure<Same<(typeof jobs)[number]['input'], { id: number; text: string }>>();
  for (const job of jobs) {
    job.progress(0.5, 'half');
    job.signal.throwIfAborted();
    // @ts-expect-error a batch has no stages
    void job.stage;
    // @ts-expect-error a batch does not wait for jobs
    void job.call;
    // @ts-expect-error a batch does not sleep
    void job.sleep;
    // @ts-expect-error a batch is not snoozed
    void job.snooze;
  }
  return jobs.map((job) =>
    job.input.text === '' ? job.fail(new Error('empty')) : { id: job.input.id, at: new Date() },
  );
});
const silent = document.runMany({ max: 2, wait: 0 }, () => undefined);
const later = document.runMany({ max: 2, wait: 0 }, async () => undefined);
const strict = declareJob('strict', {
  input: typed<{ id: number }>(),
  result: typed<{ id: number }>(),
});
strict.runMany({ max: 2, wait: '1s' }, (jobs) => jobs.map(({ input }) => ({ id: input.id })));
// @ts-expect-error the results are not what the job gives
strict.runMany({ max: 2, wait: '1s' }, (jobs) => jobs.map(({ input }) => ({ no: input.id })));
// @ts-expect-error a result is something that JSON can hold
document.runMany({ max: 2, wait: 0 }, (jobs) => jobs.map(() => 7n));
// @ts-expect-error one result is not one for each
document.runMany({ max: 2, wait: 0 }, () => 7);
// @ts-expect-error how long to wait is not left open
document.runMany({ max: 2 }, () => undefined);
// @ts-expect-error a batch has no stages
document.runMany({ max: 2, wait: 0, stages: [{ name: 'a', min: 0, max: 9 }] }, () => undefined);
// @ts-expect-error a batch runs inline
document.runMany({ max: 2, wait: 0, isolation: { kind: 'inline' } }, () => undefined);

const pawl = await openPawl({ database: ':memory:', jobs: [index] });
const made = await (await pawl.enqueue(index, { id: 1, text: 'a' })).result();
sure<Same<typeof made, { id: number; at: string }>>();
const nothing = await (await pawl.enqueue(silent, { id: 1, text: 'a' })).result();
sure<Same<typeof nothing, undefined>>();
const none = await (await pawl.enqueue(later, { id: 1, text: 'a' })).result();
sure<Same<typeof none, undefined>>();
// @ts-expect-error an input that the job does not take
await pawl.enqueue(index, { id: '1', text: 'a' });
