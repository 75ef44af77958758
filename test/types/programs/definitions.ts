// What the compiler knows of a job, and what it refuses. Compiled, never run.
import {
  declareJob,
  defineJob,
  type InputOf,
  type JobDefinition,
  type JobHandle,
  type JobType,
  type Json,
  type None,
  openPawl,
  type ResultOf,
  typed,
} from 'pawl';
import { z } from 'zod';

/** True only where both are the very same type. */
type Same<One, Other> =
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- compared, never called
  (<T>() => T extends One ? 1 : 2) extends <T>() => T extends Other ? 1 : 2 ? true : false;
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the claim is the argument
declare function sure<Claim extends true>(claim?: Claim): void;
declare function resultOf<Result>(job: JobType<never, Result>): Json<Result>;

// --- Inputs ------------------------------------------------------------------------------------

const parcel = defineJob('parcel', {
  input: typed<{ to: string; weight?: number; at: Date }>(),
  run: ({ input }) => {
    sure<Same<typeof input.to, string>>();
    sure<Same<typeof input.at, string>>();
    // @ts-expect-error the handler gets what JSON gives back: a text
    input.at.getTime();
    // @ts-expect-error a member that the input does not have
    void input.height;
    return { to: input.to, sentAt: new Date(), note: undefined };
  },
});
sure<Same<InputOf<typeof parcel>, { to: string; weight?: number; at: Date }>>();

const tidy = defineJob('tidy', {
  run: ({ input }) => {
    sure<Same<typeof input, undefined>>();
    return 7;
  },
});
sure<Same<InputOf<typeof tidy>, None>>();

/** A schema that makes something else of what it is given. */
const dated = defineJob('dated', {
  input: z.object({ day: z.iso.date().transform((day) => new Date(day)) }),
  run: ({ input }) => input.day.getUTCFullYear(),
});

const pawl = await openPawl({ database: ':memory:', jobs: [parcel, tidy, dated] });
const at = new Date();
const job: JobHandle = await pawl.enqueue(parcel, { to: 'Ada', at });
await pawl.enqueue(parcel, { to: 'Ada', weight: 3, at }, { queue: 'heavy', priority: 'high' });
await pawl.enqueue(tidy);
await pawl.enqueue(tidy, { queue: 'night', key: 'tidy-1' });
await pawl.enqueue(dated, { day: '2026-11-15' });
// @ts-expect-error a member is missing
await pawl.enqueue(parcel, { to: 'Ada' });
// @ts-expect-error a member is misspelt
await pawl.enqueue(parcel, { too: 'Ada', at });
// @ts-expect-error a member is of another type
await pawl.enqueue(parcel, { to: 17, at });
// @ts-expect-error an input is needed
await pawl.enqueue(parcel);
// @ts-expect-error no options instead of an input
await pawl.enqueue(parcel, { queue: 'heavy' });
// @ts-expect-error a job without input takes none
await pawl.enqueue(tidy, { name: 'x' });
// @ts-expect-error nor an empty one before its options
await pawl.enqueue(tidy, {}, { queue: 'night' });
// @ts-expect-error what goes into the schema counts, not what comes out of it
await pawl.enqueue(dated, { day: new Date() });
// @ts-expect-error an option that there is none of
await pawl.enqueue(tidy, { quue: 'night' });

// --- Results -----------------------------------------------------------------------------------

const sent = resultOf(parcel);
sure<Same<typeof sent, { to: string; sentAt: string }>>();
// @ts-expect-error a Date comes back as a text
const sentAt: Date = sent.sentAt;
const seven: number = resultOf(tidy);
// @ts-expect-error which is no text
const text: string = resultOf(tidy);
sure<Same<ResultOf<typeof dated>, number>>();

const silent = defineJob('silent', { run: async () => undefined });
sure<Same<Json<ResultOf<typeof silent>>, undefined>>();
const either = defineJob('either', {
  run: ({ attempt }) => (attempt > 1 ? { at: new Date() } : null),
});
sure<Same<Json<ResultOf<typeof either>>, { at: string } | null>>();
const asIs = defineJob('as-is', { run: (): unknown => JSON.parse('1') });
sure<Same<Json<ResultOf<typeof asIs>>, unknown>>();
const broken = defineJob('broken', {
  run: () => {
    throw new Error('always');
  },
});
sure<Same<Json<ResultOf<typeof broken>>, never>>();

class Point {
  readonly x: number = 1;
  readonly seen: Date = new Date();
  length(): number {
    return this.x;
  }
}
interface Tree {
  readonly value: number;
  readonly parent?: Tree;
  readonly children: readonly Tree[];
}
const shapes = defineJob('shapes', {
  input: typed<Tree>(),
  run: async ({ input }) => ({ tree: input, point: new Point(), pair: [1, new Date()] as const }),
});
const shape = resultOf(shapes);
sure<Same<typeof shape.point, { readonly x: number; readonly seen: string }>>();
sure<Same<typeof shape.pair, readonly [1, string]>>();
const tree: Tree = shape.tree;

// @ts-expect-error JSON has no bigint
defineJob('bad', { run: () => 1n });
// @ts-expect-error nor one in a promise
defineJob('bad', { run: async () => 1n });
// @ts-expect-error nor a Map
defineJob('bad', { run: () => new Map([['a', 1]]) });
// @ts-expect-error nor a Set, however deep
defineJob('bad', { run: async () => ({ list: [{ names: new Set(['a']) }] }) });
// @ts-expect-error nor a function
defineJob('bad', { run: () => () => 1 });
// @ts-expect-error nor functions in a list, where they would be null
defineJob('bad', { run: () => [() => 1] });
// @ts-expect-error nor a symbol
defineJob('bad', { run: () => Symbol('a') });
// @ts-expect-error bytes are an artifact
defineJob('bad', { run: () => new Uint8Array(3) });
// @ts-expect-error one of several is enough
defineJob('bad', { run: ({ attempt }) => (attempt > 1 ? 1n : 'text') });

const checked = defineJob('checked', {
  input: z.object({ n: z.number() }),
  result: z.object({ twice: z.number().transform(String) }),
  run: async ({ input }) => ({ twice: input.n * 2 }),
});
sure<Same<ResultOf<typeof checked>, { twice: string }>>();
// @ts-expect-error the schema of the result wants a number
defineJob('bad', { result: z.object({ twice: z.number() }), run: () => ({ twice: 'a lot' }) });

// --- Stages, effects, checkpoints --------------------------------------------------------------

const staged = defineJob('staged', {
  input: typed<{ pages: number }>(),
  stages: [
    { name: 'plan', min: 0, max: 10 },
    { name: 'draw', min: 10, max: 100 },
  ],
  async run({ input, stage, once, checkpoint }) {
    const plan = await stage('plan', () => ({ pages: input.pages, at: new Date() }));
    sure<Same<typeof plan, { pages: number; at: string }>>();
    // @ts-expect-error a stage that was not declared
    await stage('paint', () => 1);
    // @ts-expect-error a stage's result is kept as JSON, too
    await stage('plan', () => new Map([['a', 1]]));
    const last = await stage('draw', { from: 0 }, async ({ from, checkpoint: save }) => {
      sure<Same<typeof from, number>>();
      await save(from + 1);
      // @ts-expect-error a checkpoint is of the type that the stage began with
      await save('three');
      return new Date();
    });
    sure<Same<typeof last, string>>();
    await stage('draw', { from: new Date() }, async ({ from, checkpoint: save }) => {
      sure<Same<typeof from, string>>();
      await save(new Date(from));
    });
    // @ts-expect-error a checkpoint is kept as JSON
    await stage('draw', { from: 1n }, () => null);
    const answer = await once('charge', ({ idempotencyKey }) => ({
      idempotencyKey,
      at: new Date(),
    }));
    sure<Same<typeof answer, { idempotencyKey: string; at: string }>>();
    // @ts-expect-error an effect's answer is kept as JSON
    await once('charge', async () => 1n);
    await checkpoint({ page: 3, at: new Date() });
    // @ts-expect-error so is a job's checkpoint
    await checkpoint({ page: 3n });
    const nothing = await stage('plan', async () => undefined);
    sure<Same<typeof nothing, undefined>>();
    const maybe = await stage('plan', () => [1].find((page) => page > 1));
    sure<Same<typeof maybe, number | null>>();
    return plan.pages;
  },
});
defineJob('any-stage', { run: ({ stage }) => stage('whatever', () => 1) });

// --- Contracts ---------------------------------------------------------------------------------

const walk = declareJob('walk', {
  input: typed<{ depth: number }>(),
  result: typed<{ steps: number }>(),
});
const walker = walk.handle({
  stages: [{ name: 'go', min: 0, max: 100 }],
  timeout: '90s',
  run: async ({ input, stage }) => {
    if (input.depth > 0) await pawl.enqueue(walk, { depth: input.depth - 1 });
    return { steps: await stage('go', () => input.depth) };
  },
});
sure<Same<InputOf<typeof walker>, { depth: number }>>();
sure<Same<ResultOf<typeof walker>, { steps: number }>>();
sure<Same<ResultOf<typeof walk>, { steps: number }>>();
await pawl.enqueue(walk, { depth: 3 });
await openPawl({ jobs: [walk, walker, tidy] });
// @ts-expect-error the contract says what goes in
await pawl.enqueue(walk, { deep: 3 });
// @ts-expect-error and what comes out
walk.handle({ run: () => ({ steps: 'many' }) });
// @ts-expect-error a contract has no handler to call
void walk.run;
const sweep = declareJob('sweep');
await pawl.enqueue(sweep, { queue: 'night' });
sweep.handle({ run: ({ input }) => sure<Same<typeof input, undefined>>() });
// @ts-expect-error its handler's options have no input
sweep.handle({ input: typed<number>(), run: () => 1 });

// --- Lists of jobs -----------------------------------------------------------------------------

const all: readonly JobType[] = [parcel, tidy, dated, walk, walker, staged];
const defined: readonly JobDefinition[] = [parcel, tidy, dated, walker, staged];
const exact: JobDefinition<{ pages: number }, number> = staged;
// @ts-expect-error a job that takes more than that is no job that takes this
const less: JobType<{ to: string }> = parcel;
// @ts-expect-error a job that gives something else
const other: JobType<{ pages: number }, string> = staged;
await pawl.enqueue(defined[0]!, 'whatever it takes');

export const used = [job, sentAt, seven, text, tree, all, defined, exact, less, other];
