import { PawlError } from '../../core/errors.ts';
import type { Job, JobRef } from '../../core/job.ts';
import type { StoredWait } from '../../records/flows.ts';
import type { EngineContext } from '../context.ts';
import { countSet, readChildren } from './children.ts';
import { TREE_SHOWN, type TreeView, type WaitView } from './flows.ts';
import { suspensionOf } from './look.ts';

/** So many jobs of a tree are shown; below that its sets are told by their counts. */
const JOBS_MAX = 1_000;

/** A job, what it waited for and waits for, and the jobs in that, down to the last generation. */
export async function treeOf(context: EngineContext, ref: JobRef): Promise<TreeView> {
  const [job] = await context.store.read([ref]);
  if (!job) throw new PawlError('NOT_FOUND', `there is no job ${ref.id}`);
  return new Tree(context).viewOf(job, null);
}

class Tree {
  readonly #context: EngineContext;
  #left = JOBS_MAX;

  constructor(context: EngineContext) {
    this.#context = context;
  }

  async viewOf(job: Job, key: string | null): Promise<TreeView> {
    this.#left -= 1;
    const { id, type, state, phase, progress } = job;
    const stored = await this.#context.records.flows.allWaits(job);
    const suspension = stored.length === 0 ? null : await suspensionOf(this.#context, job);
    const open = openNames(stored, suspension?.waits ?? []);
    const waits: WaitView[] = [];
    for (const one of stored) {
      waits.push(await this.#waitOf(job, one, open.has(one.name)));
    }
    return { id, key, type, state, phase, progress, waits };
  }

  async #waitOf(job: Job, { name, wait }: StoredWait, isOpen: boolean): Promise<WaitView> {
    const view: WaitView = { ...BARE, name, kind: wait.kind, isOpen };
    switch (wait.kind) {
      case 'time':
        return { ...view, until: wait.until };
      case 'first':
        return { ...view, members: wait.members.map((member) => member.name) };
      case 'message':
        return { ...view, message: wait.message, schema: wait.schema ?? null };
      case 'jobs':
        return { ...view, jobs: await this.#jobsOf(job, wait.needs) };
      case 'children': {
        const { type, count: total, onFailure } = wait;
        const counted = await countSet(this.#context, job, { wait: name, set: wait });
        const { succeeded, failed, open } = counted;
        const counts = { total, succeeded, failed, open };
        const chunk = await this.#context.records.flows.chunk(job, name, 0);
        const keys = (chunk?.keys ?? []).slice(0, Math.min(TREE_SHOWN, this.#left));
        const asked = { wait: name, keys, onFailure };
        const jobs: TreeView[] = [];
        for (const child of await readChildren(this.#context, job, asked)) {
          if (child.job !== null) jobs.push(await this.viewOf(child.job, child.key));
        }
        return { ...view, type, counts, jobs };
      }
      default:
        return view;
    }
  }

  /** Needs are told as they stand, without their own waits: they may be shown elsewhere. */
  async #jobsOf({ tenant }: Job, ids: readonly string[]): Promise<TreeView[]> {
    const jobs = await this.#context.store.read(ids.map((id) => ({ tenant, id })));
    return jobs.flatMap((job) => {
      if (job === null) return [];
      const { id, type, state, phase, progress } = job;
      return [{ id, key: null, type, state, phase, progress, waits: [] }];
    });
  }
}

const BARE = {
  type: null,
  counts: null,
  until: null,
  message: null,
  schema: null,
  members: [],
  jobs: [],
} as const;

/** What a job is suspended on, those inside of an open `first` included. */
function openNames(stored: readonly StoredWait[], names: readonly string[]): Set<string> {
  const members = stored.flatMap(({ name, wait }) =>
    wait.kind === 'first' && names.includes(name) ? wait.members.map((one) => one.name) : [],
  );
  return new Set([...names, ...members]);
}
