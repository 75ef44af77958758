import { isGatedId } from '../../core/ids.ts';
import type { JobRef } from '../../core/job.ts';
import { isTerminal, PHASES } from '../../core/phase.ts';
import type { Timers } from '../../core/timers.ts';
import type { TailFilter, TailItem } from '../../store/query.ts';
import type { EngineContext } from '../context.ts';
import type { Batch } from '../follow/follower.ts';
import { LogFollower } from '../follow/log-follower.ts';
import { cancelChildren } from './cancel.ts';
import { look } from './look.ts';
import { type Ended, OpenSets } from './open-sets.ts';

export interface FlowFollowerOptions {
  readonly timers: Timers;
  readonly everyMs?: number;
}

const EVERY_MS = 500;
/** Entries of ends come by the thousand, and a look at many costs little more than one at few. */
const BATCH_MAX = 2_000;

/** Who began to wait or was sent something, was born behind a gate, or ended. */
const NEWS: TailFilter = {
  events: ['job_suspended', 'job_message'],
  phases: PHASES.filter(isTerminal),
  gated: { events: ['job_created'] },
};

/**
 * Follows the log and looks at every waiting job that an entry concerns, after its commit. An end
 * is there before the look that a suspension's own entry causes, or its entry causes a later look:
 * so no wake is lost, whatever comes first and whoever dies. An entry that comes again changes
 * nothing.
 */
export class FlowFollower {
  readonly #context: EngineContext;
  readonly #follower: LogFollower;
  readonly #open: OpenSets = new OpenSets();
  #leave: (() => void) | null = null;
  #made = 0;

  constructor(context: EngineContext, options: FlowFollowerOptions) {
    const { timers, everyMs = EVERY_MS } = options;
    this.#context = context;
    this.#follower = new LogFollower(context, {
      name: 'flows',
      timers,
      everyMs,
      gathers: true,
      batchMax: BATCH_MAX,
      only: NEWS,
      labels: 'flows',
      isQuiet: () => this.#isQuiet(),
      handle: (items, batch) => this.#handle(items, batch),
      onReset: () => this.#lookAtAll(),
    });
  }

  start(): void {
    this.#leave ??= this.#context.flowLooks.onNews(() => this.#follower.wake());
    this.#follower.start();
  }

  async stop(): Promise<void> {
    this.#leave?.();
    this.#leave = null;
    await this.#follower.stop();
    await this.#context.flowLooks.idle();
  }

  /** Reads on to the end of the log and says how many jobs it woke or cancelled. */
  async runOnce(): Promise<number> {
    this.#made = 0;
    for (let isAtEnd = false; !isAtEnd;) {
      const { kind, waitMs } = await this.#follower.runOnce();
      isAtEnd = kind !== 'handled' && waitMs > 0;
    }
    await this.#context.flowLooks.idle();
    return this.#made;
  }

  /**
   * Whether no job waits or is needed. A mark comes with, or before, the entry that tells of a
   * wait, so there is none that an entry before now could wake. A cell that cannot be reached
   * could have some.
   */
  async #isQuiet(): Promise<boolean> {
    const { store, records } = this.#context;
    return store.cells === undefined && !(await records.flows.isAnyMarked());
  }

  async #handle(items: readonly TailItem[], { signal, isContinued }: Batch): Promise<void> {
    // What another process has read meanwhile may be what was to be waited for.
    if (!isContinued) this.#open.clear();
    const made = this.#made;
    const news = new News();
    for (const item of items) news.add(item);
    await this.#lookAtThose(news.changed);
    await this.#lookAtParents(news.ended, signal);
    await this.#endTrees(news.ended, signal);
    // What was made has entries of its own, and the ends of children that are waited for come soon.
    if (this.#made > made || this.#open.size > 0) this.#follower.wake();
  }

  /** The entries in between are lost, so everybody who waits is looked at once. */
  async #lookAtAll(): Promise<void> {
    const { signal } = new AbortController();
    for await (const refs of this.#context.records.flows.allMarked()) {
      const jobs = await this.#context.store.read(refs);
      const ended = refs.filter((_, index) => isTerminal(jobs[index]?.phase ?? 'held'));
      await this.#lookAtThose(refs);
      await this.#endTrees(ended, signal);
    }
  }

  /** Jobs that were suspended, or born so, or sent a message. */
  async #lookAtThose(refs: readonly JobRef[]): Promise<void> {
    const found = await this.#context.records.flows.suspensions(refs);
    const waiting = refs.filter((_, index) => found[index] !== null);
    for (const ref of waiting) this.#open.forget(ref);
    await this.#look(waiting);
  }

  async #lookAtParents(ended: readonly Ended[], signal: AbortSignal): Promise<void> {
    const parents = this.#open.end(ended);
    signal.throwIfAborted();
    await this.#look(parents);
  }

  /** What is left of the trees of jobs that have ended, and who needed them. */
  async #endTrees(ended: readonly JobRef[], signal: AbortSignal): Promise<void> {
    for (const ref of await this.#context.records.flows.marked(ended)) {
      signal.throwIfAborted();
      this.#open.forget(ref);
      const [job] = await this.#context.store.read([ref]);
      if (job && isTerminal(job.phase)) this.#made += await cancelChildren(this.#context, job);
      for await (const ids of this.#context.records.flows.dependents(ref)) {
        await this.#look(ids.map((id) => ({ tenant: ref.tenant, id })));
      }
    }
  }

  async #look(refs: readonly JobRef[]): Promise<void> {
    const onOpen = this.#open.keep.bind(this.#open);
    const known = this.#open.overIn.bind(this.#open);
    this.#made += await look(this.#context, refs, { onOpen, known });
  }
}

/** The jobs that a batch of entries concerns, each once. */
class News {
  readonly #changed: Map<string, JobRef> = new Map();
  readonly #ended: Map<string, Ended> = new Map();

  add({ event, awaitedBy }: TailItem): void {
    const { tenant, jobId: id, type, phase } = event;
    const key = `${tenant}\n${id}`;
    const isBirth = type === 'job_created' && isGatedId(id);
    if (type === 'job_suspended' || type === 'job_message' || isBirth) {
      this.#changed.set(key, { tenant, id });
    }
    if (!isTerminal(phase)) return;
    this.#ended.set(key, { tenant, id, isFailed: phase !== 'succeeded', awaitedBy });
  }

  get changed(): JobRef[] {
    return [...this.#changed.values()];
  }

  get ended(): Ended[] {
    return [...this.#ended.values()];
  }
}
