import { createHash } from 'node:crypto';
import { type Static, Type } from 'typebox';
import {
  canonicalJson,
  defineJob,
  exactlyOne,
  fromTypebox,
  isInternalType,
  isTerminal,
  type JobDefinition,
  PawlError,
  PermanentError,
  platform,
  refined,
  type RunContext,
  type Timers,
} from 'pawl/define';
import { countWords } from '../reading/words.ts';
import type { JobAccess } from './job-access.ts';

// Does the same to every item of a list: as a job each, of any registered type, or right here by a
// small operation. Try: pawl enqueue batch -i '{"operation":"words","items":["one","one two"]}'

/** What can be done to an item without a job of its own. */
const OPERATIONS = {
  sha256: (item: unknown) => createHash('sha256').update(textOf(item)).digest('hex'),
  words: (item: unknown) => countWords(textOf(item)),
  slug: (item: unknown) =>
    textOf(item)
      .normalize('NFKD')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
      .replaceAll(/^-|-$/g, ''),
} as const;

const BatchInputSchema = Type.Object(
  {
    type: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
    operation: Type.Optional(Type.Enum(['sha256', 'words', 'slug'])),
    items: Type.Array(Type.Unknown(), { minItems: 1, maxItems: 1_000 }),
    concurrency: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 16, description: 'Jobs that are open at a time; 4.' }),
    ),
    failOnError: Type.Optional(
      Type.Boolean({ description: 'Whether the batch fails when an item does.' }),
    ),
  },
  { additionalProperties: false },
);

const ItemSchema = Type.Object({
  index: Type.Integer(),
  status: Type.Enum(['succeeded', 'failed']),
  jobId: Type.Optional(Type.String()),
  result: Type.Optional(Type.Unknown()),
  error: Type.Optional(Type.Object({ class: Type.String(), message: Type.String() })),
});

const BatchResultSchema = Type.Object({
  succeeded: Type.Integer(),
  failed: Type.Integer(),
  items: Type.Array(ItemSchema),
});

export type BatchInput = Static<typeof BatchInputSchema>;
export type BatchItem = Static<typeof ItemSchema>;
export type BatchResult = Static<typeof BatchResultSchema>;

export interface BatchDependencies {
  readonly access: JobAccess;
  readonly timers: Timers;
}

type Context = Omit<RunContext<BatchInput>, 'stage'>;

const POLL_MS = 100;
/** A larger result stays with the item's own job. */
const RESULT_LENGTH_MAX = 4_096;

const batchInput = refined(fromTypebox(BatchInputSchema), (input) => {
  const faults = exactlyOne(input, ['type', 'operation']);
  const isForbidden = input.type === 'batch' || isInternalType(input.type ?? '');
  // Batches that wait for batches could take every slot there is.
  if (isForbidden) faults.push({ pointer: '/type', message: 'must be another type than this' });
  return faults;
});

/** Maps a type or an operation over a list; a later attempt goes on where the last one was. */
export function batchJob(deps: BatchDependencies): JobDefinition<BatchInput, BatchResult> {
  return defineJob('batch', {
    lifecycle: platform,
    input: batchInput,
    result: fromTypebox(BatchResultSchema),
    // It holds its slot while it waits for jobs that need one too.
    concurrency: 4,
    stages: [{ name: 'mapping', min: 0, max: 100 }],
    run: ({ stage, ...context }): Promise<BatchResult> =>
      stage('mapping', { from: [] as BatchItem[] }, async ({ from, checkpoint, progress }) => {
        const { items, failOnError = false, operation } = context.input;
        const done = new Map(from.map((item) => [item.index, item]));
        const keep = async (more: readonly BatchItem[]): Promise<void> => {
          for (const item of more) done.set(item.index, item);
          await checkpoint([...done.values()]);
          progress(done.size / items.length, `${done.size} of ${items.length}`);
        };
        if (operation === undefined) await mapJobs(deps, context, { done, keep });
        else await mapHere(context, { done, keep });
        const all = [...done.values()].toSorted((one, other) => one.index - other.index);
        const bad = all.filter(({ status }) => status === 'failed');
        if (bad.length > 0 && failOnError) throw itemsFailed(bad, all.length);
        return { succeeded: all.length - bad.length, failed: bad.length, items: all };
      }),
  });
}

function itemsFailed(bad: readonly BatchItem[], count: number): PermanentError {
  const first = bad[0]!.error?.message ?? '';
  const message = `${bad.length} of ${count} items failed, the first: ${first}`;
  return new PermanentError(message, { code: 'BATCH_ITEMS_FAILED' });
}

interface Progress {
  readonly done: ReadonlyMap<number, BatchItem>;
  readonly keep: (more: readonly BatchItem[]) => Promise<void>;
}

const SLICE = 100;

async function mapHere({ input, signal }: Context, { done, keep }: Progress): Promise<void> {
  const apply = OPERATIONS[input.operation!];
  for (let at = 0; at < input.items.length; at += SLICE) {
    signal.throwIfAborted();
    const slice = input.items.slice(at, at + SLICE).map((item, offset): BatchItem => ({
      index: at + offset,
      status: 'succeeded',
      result: apply(item),
    }));
    if (!slice.every(({ index }) => done.has(index))) await keep(slice);
  }
}

/** A few jobs at a time. Their keys make that a batch which begins anew finds those it had. */
async function mapJobs(
  { access, timers }: BatchDependencies,
  context: Context,
  { done, keep }: Progress,
): Promise<void> {
  const { input, job, signal } = context;
  const left = input.items
    .keys()
    .filter((index) => !done.has(index))
    .toArray();
  const open = new Map<number, string>();
  while (left.length > 0 || open.size > 0) {
    signal.throwIfAborted();
    const ended: BatchItem[] = [];
    while (open.size < (input.concurrency ?? 4) && left.length > 0) {
      const index = left.shift()!;
      const begun = await begin(access, context, index);
      if (typeof begun === 'string') open.set(index, begun);
      else ended.push(begun);
    }
    const indexes = [...open.keys()];
    const refs = indexes.map((index) => ({ tenant: job.tenant, id: open.get(index)! }));
    const jobs = await access.read(refs);
    for (const [at, index] of indexes.entries()) {
      const child = jobs[at] ?? null;
      if (child !== null && !isTerminal(child.phase)) continue;
      open.delete(index);
      ended.push(await itemOf(access, { index, jobId: refs[at]!.id, child }));
    }
    if (ended.length > 0) await keep(ended);
    else await timers.sleep(POLL_MS, signal);
  }
}

/** The id of the item's job; or the item, where the platform refuses the job. */
async function begin(
  access: JobAccess,
  context: Context,
  index: number,
): Promise<string | BatchItem> {
  const { input, job, idempotencyKey, trace } = context;
  const request = {
    type: input.type!,
    input: input.items[index],
    parentJobId: job.id,
    correlationId: trace.correlationId,
    idempotencyKey: `${idempotencyKey}/item/${index}`,
  };
  try {
    return (await access.enqueue(request, { tenant: job.tenant, principal: job.requestedBy })).id;
  } catch (error) {
    if (!(error instanceof PawlError) || error.status >= 500) throw error;
    return { index, status: 'failed', error: { class: error.code, message: error.message } };
  }
}

async function itemOf(
  access: JobAccess,
  {
    index,
    jobId,
    child,
  }: { index: number; jobId: string; child: Awaited<ReturnType<JobAccess['read']>>[number] },
): Promise<BatchItem> {
  if (child === null) {
    const error = { class: 'NOT_FOUND', message: 'the job is no longer kept' };
    return { index, status: 'failed', jobId, error };
  }
  if (child.phase !== 'succeeded') {
    const { class: errorClass, message } = child.error ?? {
      class: child.state,
      message: `it ended ${child.state}`,
    };
    return { index, status: 'failed', jobId, error: { class: errorClass, message } };
  }
  const isSmall = (child.result ?? '').length <= RESULT_LENGTH_MAX;
  return {
    index,
    status: 'succeeded',
    jobId,
    ...(isSmall ? { result: await access.resultOf(child) } : {}),
  };
}

function textOf(item: unknown): string {
  return typeof item === 'string' ? item : canonicalJson(item);
}
