// Breadth first through everything that can happen to a parent with two children, on the real
// engine and store.
import { checkHistory } from 'pawl/internal/check/check-history';
import type { JobEvent } from 'pawl/internal/core/event';
import type { Job } from 'pawl/internal/core/job';
import { isTerminal } from 'pawl/internal/core/phase';
import { builtInLifecycles } from 'pawl/internal/lifecycles/built-in';
import { readAll } from '../../../simulation/read-all.ts';
import { judgeTrees } from '../../../simulation/flows/judge-trees.ts';
import type { Exploration } from '../explore.ts';
import { type Ground, openSqliteGround } from '../ground.ts';
import { FLOW_ACTIONS, type FlowAction, type Hands, TENANT } from './actions.ts';
import { brokenFlowLaws, type Moment, unreadOf } from './laws.ts';

export interface ExploreFlowsOptions {
  /** Of the parent. */
  readonly lifecycle: string;
  readonly depthMax: number;
  /** A store that is wrong on purpose. */
  readonly open?: () => Ground;
  readonly isStopped?: () => boolean;
}

interface Node {
  readonly key: string;
  readonly image: Uint8Array;
  readonly now: number;
  readonly hands: Hands;
  readonly moment: Moment;
  readonly path: readonly string[];
}

const PROBLEMS_MAX = 5;

export async function exploreFlows(options: ExploreFlowsOptions): Promise<Exploration> {
  const ground = (options.open ?? openSqliteGround)();
  // Whoever writes dies before it looks: looks are acts of their own here.
  ground.context.flowLooks.moved = () => undefined;
  ground.context.flowLooks.hurry = () => undefined;
  try {
    return await new FlowExplorer(ground, options).run();
  } finally {
    await ground.close();
  }
}

class FlowExplorer {
  readonly #ground: Ground;
  readonly #options: ExploreFlowsOptions;
  readonly #nodes = new Map<string, { isEnd: boolean; path: readonly string[] }>();
  readonly #waysOn = new Map<string, Set<string>>();
  readonly #pairs = new Set<string>();
  readonly #events = new Set<string>();
  readonly #problems: string[] = [];
  #steps = 0;
  #moves = 0;

  constructor(ground: Ground, options: ExploreFlowsOptions) {
    this.#ground = ground;
    this.#options = options;
  }

  async run(): Promise<Exploration> {
    let level = [await this.#begin()];
    let depth = 0;
    while (level.length > 0 && depth < this.#options.depthMax && !this.#isDone) {
      const next: Node[] = [];
      for (const node of level) next.push(...(await this.#expand(node)));
      level = next;
      depth += 1;
    }
    const isWhole = level.length === 0 && !this.#isDone;
    if (isWhole) this.#findDeadEnds();
    return {
      states: this.#nodes.size,
      steps: this.#steps,
      moves: this.#moves,
      depth,
      isWhole,
      pairs: this.#pairs.size,
      events: this.#events.size,
      problems: this.#problems,
    };
  }

  get #isDone(): boolean {
    return this.#problems.length >= PROBLEMS_MAX || (this.#options.isStopped?.() ?? false);
  }

  async #begin(): Promise<Node> {
    const { engine } = this.#ground;
    const lease = { ttlMs: 30_000, heartbeatMs: 10_000 };
    const types = { parent: this.#options.lifecycle, child: 'task' };
    for (const [type, lifecycle] of Object.entries(types)) {
      const definition = { lifecycle, lease, retry: { maxAttempts: 1 } };
      await engine.putType({ tenant: '*', type }, definition);
    }
    const caller = { tenant: TENANT, principal: 'tester' };
    const [result] = await engine.enqueue([{ type: 'parent' }], { caller });
    if (result!.kind === 'refused') throw result!.error;
    return (await this.#arrive({ hands: { parent: null, children: {} }, path: ['born'] }))!;
  }

  /** All that can be done in this moment; those that lead to a moment not met before. */
  async #expand(node: Node): Promise<readonly Node[]> {
    const found: Node[] = [];
    let isDirty = true;
    for (const action of FLOW_ACTIONS) {
      if (this.#isDone) return found;
      if (isDirty) this.#ground.load(node.image);
      this.#ground.clock.at = node.now;
      const { parent, jobs } = node.moment;
      const answer = await action.perform(this.#ground, { parent, jobs, hands: node.hands });
      this.#steps += 1;
      this.#pairs.add(`${parent.state}/${parent.phase} ${action.name}`);
      isDirty = answer !== null;
      if (answer === null) continue;
      const path = [...node.path, action.name];
      const next = await this.#arrive({ hands: answer.hands, path, from: { node, action } });
      if (next !== null) found.push(next);
    }
    return found;
  }

  /** Judges the moment by all laws, and keeps it if it is new. */
  async #arrive(arrival: {
    hands: Hands;
    path: readonly string[];
    from?: { node: Node; action: FlowAction };
  }): Promise<Node | null> {
    const { hands, path, from } = arrival;
    const { store, clock } = this.#ground;
    const all = await readAll(store, [TENANT]);
    const unread = await unreadOf(this.#ground);
    const moment = momentOf(all.jobs, all.events, unread);
    const broken = [
      ...checkHistory({ lifecycles: builtInLifecycles, ...all }).map(
        ({ invariant, message }) => `${invariant} ${message}`,
      ),
      ...(await judgeTrees(store, all)),
      ...(await brokenFlowLaws(this.#ground, from?.node.moment ?? null, moment)),
    ];
    for (const problem of broken) this.#tell(problem, path);
    const key = await this.#keyOf(moment, hands);
    if (from !== undefined && key !== from.node.key) {
      this.#moves += 1;
      if (from.action.isProgress) this.#lead(key, from.node.key);
    }
    if (this.#nodes.has(key)) return null;
    const isEnd = all.jobs.every(({ phase }) => isTerminal(phase));
    this.#nodes.set(key, { isEnd, path });
    return { key, image: this.#ground.save(), now: clock.now(), hands, moment, path };
  }

  /** Two children that stand alike are one: which of them is `a` makes no difference. */
  async #keyOf({ parent, children, unread, events }: Moment, hands: Hands): Promise<string> {
    const { store, clock } = this.#ground;
    const { flows } = this.#ground.context.records;
    const now = clock.now();
    const last = events.findLast(({ jobId, note }) => jobId === parent.id && note === 0)!;
    this.#events.add(`${last.to}/${last.phase} ${last.type}`);
    const [suspension] = await flows.suspensions([parent]);
    const waits = await flows.allWaits(parent);
    const ownGate = await store.standing(parent);
    const held = hands.parent;
    const twins = await Promise.all(
      children.map(async (child) => {
        const told = unread.filter(({ jobId }) => jobId === child.id).map(({ type }) => type);
        const claim = hands.children[child.id];
        const isOwner = claim === undefined ? null : claim.job.epoch === child.epoch;
        return JSON.stringify([standingOf(child, now), isOwner, told]);
      }),
    );
    return JSON.stringify([
      standingOf(parent, now),
      ownGate,
      suspension ? [parent.epoch - suspension.epoch, suspension.phase] : null,
      waits.map(({ name, wait }) => [name, wait]),
      held === null ? null : [held.step, Math.min(2, parent.epoch - held.claim.job.epoch)],
      unread.filter(({ jobId }) => jobId === parent.id).map(({ type }) => type),
      twins.toSorted(),
    ]);
  }

  #lead(to: string, from: string): void {
    const sources = this.#waysOn.get(to) ?? new Set();
    this.#waysOn.set(to, sources.add(from));
  }

  /** From every moment, time, sweeps, the follower and willing workers can bring the end. */
  #findDeadEnds(): void {
    const reached = [...this.#nodes].filter(([, { isEnd }]) => isEnd).map(([key]) => key);
    const seen = new Set(reached);
    for (const key of reached) {
      for (const source of this.#waysOn.get(key) ?? []) {
        if (!seen.has(source)) reached.push(source);
        seen.add(source);
      }
    }
    for (const [key, { path }] of this.#nodes) {
      if (!seen.has(key)) this.#tell('I20 no way leads on to an end', path);
    }
  }

  #tell(problem: string, path: readonly string[]): void {
    if (this.#problems.length < PROBLEMS_MAX)
      this.#problems.push(`${problem} (${path.join(' → ')})`);
  }
}

function momentOf(
  jobs: readonly Job[],
  events: readonly JobEvent[],
  unread: readonly JobEvent[],
): Moment {
  const parent = jobs.find(({ type }) => type === 'parent')!;
  return { parent, children: jobs.filter((job) => job !== parent), jobs, events, unread };
}

/** Later epochs and instants differ in nothing but their number, so only their order counts. */
function standingOf(job: Job, now: number): unknown {
  const lease = job.leaseExpiry === null ? 'none' : job.leaseExpiry > now;
  const { state, phase, attempts, retryCount, owner, cancel, error } = job;
  return [state, phase, attempts, retryCount, owner, lease, job.runAt <= now, cancel, error];
}
