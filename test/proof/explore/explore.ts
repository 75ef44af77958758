// Breadth first through everything that can happen to one job, on the real engine and store.
import { checkHistory } from 'pawl/internal/check/check-history';
import type { CompleteOperation, LedgerEntry, Operation } from 'pawl/internal/check/history';
import type { Job, JobRef } from 'pawl/internal/core/job';
import type { Lifecycle } from 'pawl/internal/core/lifecycle';
import { isTerminal } from 'pawl/internal/core/phase';
import { builtInLifecycles } from 'pawl/internal/lifecycles/built-in';
import { retriedClass } from '../../support/lifecycle-table.ts';
import { readAll } from '../../simulation/read-all.ts';
import { type Action, actionsFor, type Answer, type Hands, WORKERS } from './actions.ts';
import { type Ground, openSqliteGround } from './ground.ts';
import { brokenLaws } from './step-laws.ts';

export interface ExploreOptions {
  readonly lifecycle: Lifecycle;
  /** No path is longer. */
  readonly depthMax: number;
  /** A store that is wrong on purpose. */
  readonly open?: () => Ground;
  readonly isStopped?: () => boolean;
}

export interface Exploration {
  readonly states: number;
  readonly steps: number;
  /** Steps by which something changed. */
  readonly moves: number;
  readonly depth: number;
  /** True when the last level brought nothing new, so that a greater depth would not either. */
  readonly isWhole: boolean;
  /** (place, action) pairs tried, and (place, event) pairs seen. */
  readonly pairs: number;
  readonly events: number;
  readonly problems: readonly string[];
}

/** What lies outside the store at one moment. */
interface Memory {
  readonly now: number;
  readonly hands: Hands;
  readonly history: readonly Operation[];
  readonly ledger: readonly LedgerEntry[];
}

interface Node {
  readonly key: string;
  readonly image: Uint8Array;
  readonly memory: Memory;
  readonly job: Job;
  readonly path: readonly string[];
}

const TENANT = 'acme';
const PROBLEMS_MAX = 5;

export async function explore(options: ExploreOptions): Promise<Exploration> {
  const ground = (options.open ?? openSqliteGround)();
  try {
    return await new Explorer(ground, options).run();
  } finally {
    await ground.close();
  }
}

class Explorer {
  readonly #ground: Ground;
  readonly #options: ExploreOptions;
  readonly #actions: readonly Action[];
  readonly #nodes = new Map<string, { isEnd: boolean; path: readonly string[] }>();
  readonly #waysOn = new Map<string, Set<string>>();
  readonly #pairs = new Set<string>();
  readonly #events = new Set<string>();
  readonly #problems: string[] = [];
  #ref: JobRef = { tenant: TENANT, id: '' };
  #steps = 0;
  #moves = 0;

  constructor(ground: Ground, options: ExploreOptions) {
    this.#ground = ground;
    this.#options = options;
    this.#actions = actionsFor(retriedClass(options.lifecycle));
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
    const { engine, clock } = this.#ground;
    const { lifecycle } = this.#options;
    const type = { tenant: '*', type: 'explored' };
    const retry = { maxAttempts: 2, backoff: { kind: 'fixed', baseMs: 1_000 } } as const;
    await engine.putType(type, {
      lifecycle: lifecycle.name,
      lease: { ttlMs: 30_000, heartbeatMs: 10_000 },
      ...(lifecycle.bounds.retryIsFixed ? {} : { retry }),
    });
    const isHeld = lifecycle.initial.phase === 'held';
    const asked = { type: type.type, input: null, correlationId: 'c', submit: !isHeld };
    const caller = { tenant: TENANT, principal: 'tester' };
    const [result] = await engine.enqueue([asked], { caller });
    if (result!.kind === 'refused') throw result!.error;
    this.#ref = { tenant: TENANT, id: result!.job.id };
    const submit: Operation = {
      kind: 'submit',
      tenant: TENANT,
      outcome: 'ok',
      jobId: this.#ref.id,
      correlationId: 'c',
      idempotency: null,
    };
    const hands = { a: null, b: null };
    const memory = { now: clock.now(), hands, history: [submit], ledger: [] };
    const [node] = await this.#arrive(memory, ['born']);
    return node!;
  }

  /** All that can be done in this moment; those that lead to a moment not met before. */
  async #expand(node: Node): Promise<readonly Node[]> {
    const found: Node[] = [];
    let isDirty = true;
    for (const action of this.#actions) {
      if (this.#isDone) return found;
      if (isDirty) this.#ground.load(node.image);
      this.#ground.clock.at = node.memory.now;
      const answer = await this.#take(action, node);
      this.#steps += 1;
      this.#pairs.add(`${node.job.state}/${node.job.phase} ${action.name}`);
      isDirty = answer.kind === 'accepted' || answer.kind === 'claimed';
      if (answer.kind === 'none') continue;
      const memory = remember(node.memory, { action, answer, job: node.job }, this.#ground);
      const path = [...node.path, action.name];
      await this.#judgeStep(node, { action, answer, path });
      if (!isDirty) continue;
      this.#moves += 1;
      const arrived = await this.#arrive(memory, path);
      const [next] = arrived;
      if (action.isProgress) this.#lead(this.#lastKey, node.key);
      if (next !== undefined) found.push(next);
    }
    return found;
  }

  async #take(action: Action, { job, memory }: Node): Promise<Answer> {
    return action.perform(this.#ground, { ref: this.#ref, job, hands: memory.hands });
  }

  async #judgeStep(
    node: Node,
    { action, answer, path }: { action: Action; answer: Answer; path: readonly string[] },
  ): Promise<void> {
    const after = await this.#ground.engine.job(this.#ref);
    const { hands, now } = node.memory;
    const broken = brokenLaws({ action, answer, before: node.job, after, hands, now });
    for (const problem of broken) this.#tell(problem, path);
  }

  #lastKey = '';

  /** Judges the moment by all laws, and keeps it if it is new. */
  async #arrive(memory: Memory, path: readonly string[]): Promise<readonly Node[]> {
    const all = await readAll(this.#ground.store, [TENANT]);
    const { history, ledger } = memory;
    const input = { lifecycles: builtInLifecycles, ...all, history, ledger };
    for (const { invariant, message } of checkHistory(input)) {
      this.#tell(`${invariant} ${message}`, path);
    }
    const job = all.jobs[0]!;
    const events = all.events.filter(({ note }) => note === 0);
    const last = events.at(-1)!;
    this.#events.add(`${last.to}/${last.phase} ${last.type}`);
    const epochs = WORKERS.map((name) => memory.hands[name]?.job.epoch ?? null);
    const key = JSON.stringify([
      standing(job, this.#ground.clock.now()),
      epochs.map((epoch) => nearness(epoch, job.epoch)),
      [last.type, last.actor, epochs.map((epoch) => nearness(epoch, last.epoch))],
      all.deadLetters.length,
      this.#ground.inner(),
    ]);
    this.#lastKey = key;
    if (this.#nodes.has(key)) return [];
    this.#nodes.set(key, { isEnd: isTerminal(job.phase), path });
    return [{ key, image: this.#ground.save(), memory, job, path }];
  }

  #lead(to: string, from: string): void {
    const sources = this.#waysOn.get(to) ?? new Set();
    this.#waysOn.set(to, sources.add(from));
  }

  /** From every moment, time, sweeps and one willing worker must be able to bring the end. */
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

/** Later epochs and instants differ in nothing but their number, so only their order counts. */
function standing(job: Job, now: number): unknown {
  return [
    job.state,
    job.phase,
    job.attempts,
    job.retryCount,
    job.backoffMs,
    job.progress,
    job.owner,
    job.leaseExpiry === null ? 'none' : job.leaseExpiry > now,
    job.runAt <= now,
    job.cancel,
    job.error,
    job.result,
  ];
}

/** A report is told from a repeated one by its own epoch and the next; all others are just old. */
function nearness(epoch: number | null, current: number): number | null {
  return epoch === null ? null : Math.min(2, current - epoch);
}

function remember(
  { hands, history, ledger }: Memory,
  { action, answer, job }: { action: Action; answer: Answer; job: Job },
  { clock }: Ground,
): Memory {
  const now = clock.now();
  if (answer.kind === 'claimed') {
    const { owner, epoch, attempts: attempt, tenant, id: jobId } = answer.claim.job;
    const by = owner as keyof Hands;
    const run = { tenant, jobId, epoch, attempt, owner: by, startedAt: now, endedAt: null };
    return { now, hands: { ...hands, [by]: answer.claim }, history, ledger: [...ledger, run] };
  }
  const by = action.name.slice(0, 1) as keyof Hands;
  if (action.name.endsWith(': crash'))
    return { now, hands: { ...hands, [by]: null }, history, ledger };
  if (!action.name.endsWith(': complete')) return { now, hands, history, ledger };
  const complete: CompleteOperation = {
    kind: 'complete',
    tenant: job.tenant,
    jobId: job.id,
    outcome: answer.kind === 'refused' ? 'fail' : 'ok',
    owner: by,
    epoch: hands[by]!.job.epoch,
    result: `"by ${by}"`,
  };
  return { now, hands, history: [...history, complete], ledger };
}
