import { PawlError } from '../../core/errors.ts';
import type { Job, JobRef } from '../../core/job.ts';
import { isTerminal } from '../../core/phase.ts';
import { afterWrite } from '../../store/after-write.ts';
import type { EngineContext } from '../context.ts';
import { childrenOf } from '../flows/children.ts';
import { notFound } from '../refusals.ts';

const PAGE = 100;
const ROUNDS_MAX = 8;

/**
 * Takes away what a job that has ended was given, said and made, in the database at once; its
 * history stays, with a `job_erased` at its end. So it goes with every job that was made from it
 * (a replay, a compensation, a child): they were given what it had. The bytes of artifacts, whose
 * records go now, are removed by the sweep of artifacts. Asking again does no harm.
 */
export async function erase(context: EngineContext, ref: JobRef, actor: string): Promise<Job> {
  const named = { tenant: ref.tenant, id: ref.id };
  const made = await descendantsOf(context, named);
  refuseOpen(made, named);
  const outcome = await eraseOne(context, named, actor);
  if (outcome === 'notEnded') {
    throw new PawlError('NOT_FINISHED', `job ${ref.id} has not ended, so it cannot be erased`);
  }
  return afterWrite(true, async () => {
    for (const child of made) await eraseOne(context, child, actor);
    // A replay may have been made while its letter was still whole.
    const known = new Set(made.map(({ id }) => id));
    const late = (await descendantsOf(context, named)).filter(({ id }) => !known.has(id));
    refuseOpen(late, named);
    for (const child of late) await eraseOne(context, child, actor);
    const [job] = await context.store.read([named]);
    if (job) return job;
    if (outcome === 'missing' && made.length === 0) throw notFound(named);
    const message = `job ${ref.id} was gone already; what others had kept of it is erased now`;
    throw new PawlError('NOT_FOUND', message);
  });
}

function refuseOpen(made: readonly Job[], { id }: JobRef): void {
  const open = made.find(({ phase }) => !isTerminal(phase));
  if (open === undefined) return;
  const message = `job ${open.id}, made from job ${id}, has not ended: cancel it or wait for it`;
  throw new PawlError('NOT_FINISHED', message);
}

async function eraseOne(
  { store, records }: EngineContext,
  { tenant, id }: JobRef,
  actor: string,
): Promise<'erased' | 'lettersErased' | 'notEnded' | 'missing'> {
  const outcome = await eraseWithLetters({ store, records }, { tenant, id }, actor);
  if (outcome !== 'erased') return outcome;
  // An input that is kept outside the database has the id of its job.
  await records.flows.erase({ tenant, id });
  const own = await records.artifacts.ofJob({ tenant, id });
  await records.artifacts.remove([...own.filter((one) => one.id !== id), { tenant, id }]);
  return outcome;
}

/** In one transaction; what a job that is gone has left in its letters is erased by itself. */
async function eraseWithLetters(
  { store, records }: Pick<EngineContext, 'store' | 'records'>,
  ref: JobRef,
  actor: string,
): Promise<'erased' | 'lettersErased' | 'notEnded' | 'missing'> {
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const letters = await records.deadLetters.erasure(ref);
    const outcome = await store.erase(ref, actor, letters);
    if (outcome === 'stale') continue;
    if (outcome !== 'missing' || letters.length === 0) return outcome;
    if ((await store.records.write(letters)).kind === 'written') return 'lettersErased';
  }
  const message = `the dead letters of job ${ref.id} changed too often to be erased; try again`;
  throw new PawlError('STORE_UNAVAILABLE', message);
}

/** All that were made from it, and from those, each once. */
async function descendantsOf(context: EngineContext, { tenant, id }: JobRef): Promise<Job[]> {
  const { store } = context;
  const found = new Map<string, Job>();
  const open = [id];
  for (let parent = open.pop(); parent !== undefined; parent = open.pop()) {
    let before: string | undefined;
    for (let hasMore = true; hasMore;) {
      const query = { tenant, parentJobId: parent, limit: PAGE };
      const page = await store.list(before === undefined ? query : { ...query, before });
      for (const job of page.jobs) {
        if (job.id === id || found.has(job.id)) continue;
        found.set(job.id, job);
        open.push(job.id);
      }
      before = page.jobs.at(-1)?.id;
      hasMore = page.hasMore;
    }
    for await (const child of childrenOf(context, { tenant, id: parent })) {
      if (child.id === id || found.has(child.id)) continue;
      found.set(child.id, child);
      open.push(child.id);
    }
  }
  return [...found.values()];
}
