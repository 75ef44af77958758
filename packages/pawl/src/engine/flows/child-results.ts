import { invalid, PawlError } from '../../core/errors.ts';
import type { ChildResultPage } from '../../core/flow.ts';
import type { JobRef } from '../../core/job.ts';
import { CHUNK } from '../../records/flows.ts';
import type { EngineContext } from '../context.ts';
import { notFound } from '../refusals.ts';
import { readChildren, resultOf } from './children.ts';

const RESULTS_MAX = 1_000;

/** A page of what came of the children of a wait; `after` is how many the pages before had. */
export async function childResults(
  context: EngineContext,
  ref: JobRef,
  wait: string,
  { after, limit }: { readonly after: string | null; readonly limit: number },
): Promise<ChildResultPage> {
  const { store, records } = context;
  const from = Number(after ?? 0);
  if (!Number.isSafeInteger(from) || from < 0) {
    throw invalid([{ pointer: '/after', message: 'must be a `next` of this list' }]);
  }
  const [parent] = await store.read([ref]);
  if (!parent) throw notFound(ref);
  const [stored] = (await records.flows.waits(ref, [wait])).waits;
  if (stored?.wait.kind !== 'children') {
    throw new PawlError('NOT_FOUND', `job ${ref.id} has no children under "${wait}"`);
  }
  const { count, onFailure } = stored.wait;
  const chunk = await records.flows.chunk(ref, wait, Math.floor(from / CHUNK));
  const start = from % CHUNK;
  const keys = (chunk?.keys ?? []).slice(start, start + Math.min(limit, RESULTS_MAX));
  const children = await readChildren(context, parent, { wait, keys, onFailure });
  const to = from + keys.length;
  return {
    results: children.filter(({ end }) => end !== null).map(resultOf),
    next: keys.length > 0 && to < count ? String(to) : null,
  };
}
