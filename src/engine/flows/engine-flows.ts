import { invalid, PawlError } from '../../core/errors.ts';
import type { Job, JobRef } from '../../core/job.ts';
import { CHUNK } from '../../records/flows.ts';
import type { EngineContext } from '../context.ts';
import type { EnqueueOptions, EnqueueResult } from '../enqueue.ts';
import type { Ownership } from '../owner.ts';
import { notFound } from '../refusals.ts';
import { readChildren, resultOf } from './children.ts';
import { decide } from './decide.ts';
import { type DecidedWait, decidedOf } from './decided.ts';
import type { ChildResultPage, SpawnRequest, WaitRequest, WaitState } from '../../core/flow.ts';
import type { Flows, GraphItem, MessageView, SendRequest, TreeView } from './flows.ts';
import { enqueueGraph } from './graph.ts';
import { messagesOf, send, setAside } from './messages.ts';
import { spawn } from './spawn.ts';
import { treeOf } from './tree.ts';

const RESULTS_MAX = 1_000;

/** The flows of an engine. */
export class EngineFlows implements Flows {
  readonly #context: EngineContext;

  constructor(context: EngineContext) {
    this.#context = context;
  }

  spawn(owner: Ownership, request: SpawnRequest): Promise<{ readonly ids: readonly string[] }> {
    return spawn(this.#context, owner, request);
  }

  decide(owner: Ownership, waits: readonly WaitRequest[]): Promise<WaitState[]> {
    return decide(this.#context, owner, waits);
  }

  /** `after` is how many items the pages before had. */
  async results(
    ref: JobRef,
    wait: string,
    { after, limit }: { readonly after: string | null; readonly limit: number },
  ): Promise<ChildResultPage> {
    const { store, records } = this.#context;
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
    const children = await readChildren(this.#context, parent, { wait, keys, onFailure });
    const to = from + keys.length;
    return {
      results: children.filter(({ end }) => end !== null).map(resultOf),
      next: keys.length > 0 && to < count ? String(to) : null,
    };
  }

  decided(job: Job): Promise<readonly DecidedWait[]> {
    return decidedOf(this.#context, job);
  }

  send(request: SendRequest): Promise<{ readonly id: string; readonly isNew: boolean }> {
    return send(this.#context, request);
  }

  setAside(
    owner: Ownership,
    aside: { readonly id: string; readonly fault: string },
  ): Promise<void> {
    return setAside(this.#context, owner, aside);
  }

  messages(ref: JobRef): Promise<MessageView[]> {
    return messagesOf(this.#context, ref);
  }

  tree(ref: JobRef): Promise<TreeView> {
    return treeOf(this.#context, ref);
  }

  enqueueGraph(items: readonly GraphItem[], options: EnqueueOptions): Promise<EnqueueResult[]> {
    return enqueueGraph(this.#context, items, options);
  }
}
