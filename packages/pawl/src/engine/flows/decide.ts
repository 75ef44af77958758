import type { Instant } from '../../core/clock.ts';
import { invalid } from '../../core/errors.ts';
import type { Job } from '../../core/job.ts';
import {
  type ChildrenWait,
  type FirstWait,
  keptOp,
  mailboxOp,
  markOp,
  messageOp,
  type MessageWait,
  type StoredMessage,
  type StoredWait,
  type Wait,
  waitOp,
} from '../../records/flows.ts';
import type { RecordOp } from '../../store/records.ts';
import type { EngineContext } from '../context.ts';
import { fenceOf, type Ownership, ownershipRefusal } from '../owner.ts';
import { keptRefusal } from '../kept-limit.ts';
import { notFound } from '../refusals.ts';
import { cancelSet } from './cancel.ts';
import { checkSchemas, checkWaits } from './check-waits.ts';
import { countSet, readChildren, resultOf, setState } from './children.ts';
import {
  RESULTS_SHOWN,
  type WaitRequest,
  type WaitState,
  type WaitValue,
} from '../../core/flow.ts';
import { waitChanged, whyRefused } from './fence.ts';
import { waitRefusal } from './suspend.ts';

/**
 * Begins waits that have not begun and says what is decided. What is decided is kept, fenced by the
 * owner: a message is taken once, and of several that are there at once one wins for good.
 */
export async function decide(
  context: EngineContext,
  owner: Ownership,
  requests: readonly WaitRequest[],
): Promise<WaitState[]> {
  const all = requests.flatMap(withMembers);
  checkWaits(all);
  checkSchemas(requests);
  for (;;) {
    const [job] = await context.store.read([owner.ref]);
    if (!job) throw notFound(owner.ref);
    const refusal = ownershipRefusal(job, owner) ?? waitRefusal(context, job);
    if (refusal !== null) throw refusal;
    const turn = new Turn(context, job);
    await turn.begin(all);
    const states: WaitState[] = [];
    for (const request of requests) states.push(await turn.stateOf(request));
    if (turn.begun > 0) {
      const full = await keptRefusal(context, job, { added: turn.begun });
      if (full !== null) throw full;
      turn.ops.push(keptOp(job, turn.begun));
    }
    const ops = [fenceOf(owner), ...turn.ops];
    const written = ops.length === 1 ? null : await context.records.flows.write(ops);
    if (written === null || written.kind === 'written') {
      await endRaces(context, job, turn.won);
      return states;
    }
    // Whatever else was refused has changed since it was read.
    if (written.reason === 'fenced') throw await whyRefused(context, owner, written.reason);
  }
}

/** Cancels the jobs of those that lost; kept, so that it is done again if this process dies. */
async function endRaces(
  context: EngineContext,
  job: Job,
  won: readonly { readonly name: string; readonly wait: FirstWait }[],
): Promise<void> {
  const { flows } = context.records;
  for (const { name, wait } of won) {
    const losers = wait.members.filter(({ key }) => key !== wait.winner);
    const { waits } = await flows.waits(
      job,
      losers.map((one) => one.name),
    );
    for (const loser of waits) {
      if (loser?.wait.kind !== 'children') continue;
      const reason = `"${wait.winner}" came first of "${name}"`;
      await cancelSet(context, job, { wait: loser.name, set: loser.wait, reason });
    }
    await flows.write([waitOp(job, name, { ...wait, isOver: true })]);
  }
}

export function withMembers(request: WaitRequest): WaitRequest[] {
  if (request.kind !== 'first') return [request];
  return [request, ...request.members.flatMap(({ wait }) => withMembers(wait))];
}

/** One look at the waits of a turn, and what is to be written about them. */
export class Turn {
  readonly ops: RecordOp[] = [];
  /** How many waits begin with this call. */
  begun = 0;
  /** Races whose losers are still to be ended. */
  readonly won: { readonly name: string; readonly wait: FirstWait }[] = [];
  readonly #context: EngineContext;
  readonly #job: Job;
  readonly #waits: Map<string, { readonly wait: Wait; readonly stored: StoredWait | null }> =
    new Map();
  /** Messages that waits of this call take. */
  readonly #taken: Set<number> = new Set();
  #at: Instant = 0;

  constructor(context: EngineContext, job: Job) {
    this.#context = context;
    this.#job = job;
  }

  async begin(all: readonly WaitRequest[]): Promise<void> {
    const names = all.map(({ name }) => name);
    const { at, waits } = await this.#context.records.flows.waits(this.#job, names);
    this.#at = at;
    for (const [index, request] of all.entries()) {
      const stored = waits[index] ?? null;
      if (stored !== null) refuseChanged(request, stored.wait);
      const wait = stored?.wait ?? waitFor(request, at);
      this.#waits.set(request.name, { wait, stored });
      if (stored !== null) continue;
      this.ops.push(waitOp(this.#job, request.name, wait, 'absent'));
      this.begun += 1;
    }
    if (this.ops.length > 0) this.ops.push(markOp(this.#job));
  }

  async stateOf(request: WaitRequest): Promise<WaitState> {
    const value = await this.#valueOf(request);
    return value === null ? { state: 'open' } : { state: 'decided', value };
  }

  async #valueOf(request: WaitRequest): Promise<WaitValue | null> {
    const { wait } = this.#waits.get(request.name)!;
    switch (wait.kind) {
      case 'time':
        return wait.until <= this.#at ? { kind: 'time' } : null;
      case 'message':
        return this.#take(request.name, wait);
      case 'children':
        return this.#gather(request.name, wait);
      case 'first':
        return this.#race(request as Extract<WaitRequest, { kind: 'first' }>, wait);
      case 'jobs':
        return null;
    }
  }

  async #take(name: string, wait: MessageWait): Promise<WaitValue | null> {
    const { flows } = this.#context.records;
    const found =
      wait.taken === null
        ? await this.#next(wait.message)
        : await flows.message(this.#job, wait.taken);
    if (found === null) return null;
    const { message, record } = found;
    if (wait.taken === null) {
      this.#taken.add(message.number);
      this.#put(name, { ...wait, taken: message.number });
      const taken = { ...message, takenBy: name };
      this.ops.push(messageOp(this.#job, taken, { expected: record }), mailboxOp(this.#job, -1));
    }
    return { kind: 'message', payload: message.payload, id: String(message.number) };
  }

  async #next(message: string): Promise<StoredMessage | null> {
    const limit = this.#taken.size + 1;
    const inbox = await this.#context.records.flows.inbox(this.#job, message, limit);
    return inbox.find((one) => !this.#taken.has(one.message.number)) ?? null;
  }

  async #gather(name: string, set: ChildrenWait): Promise<WaitValue | null> {
    const context = this.#context;
    const state = await setState(context, this.#job, { wait: name, set });
    if (!state.isDecided) return null;
    const isOver = state.succeeded + state.failed === set.count;
    const counted = isOver ? state : await countSet(context, this.#job, { wait: name, set });
    const { succeeded, failed } = counted;
    // Kept, so that later turns need not count again.
    if (set.ended === null && isOver) this.#put(name, { ...set, ended: { succeeded, failed } });
    const first = await context.records.flows.chunk(this.#job, name, 0);
    const keys = (first?.keys ?? []).slice(0, RESULTS_SHOWN);
    const asked = { wait: name, keys, onFailure: set.onFailure };
    const children = await readChildren(context, this.#job, asked);
    return {
      kind: 'children',
      counts: { total: set.count, succeeded, failed },
      results: children.filter(({ end }) => end !== null).map(resultOf),
      isAll: set.count <= RESULTS_SHOWN,
    };
  }

  /** The winner is kept: what else is decided by now, or later, loses. */
  async #race(
    request: Extract<WaitRequest, { kind: 'first' }>,
    wait: FirstWait,
  ): Promise<WaitValue | null> {
    for (const { key, wait: member } of request.members) {
      if (wait.winner !== null && wait.winner !== key) continue;
      const value = await this.#valueOf(member);
      if (value === null) continue;
      const isOver = wait.onLose === 'keep' || !request.members.some(isOfJobs);
      const won = { ...wait, winner: key, isOver: wait.isOver || isOver };
      if (wait.winner === null) this.#put(request.name, won);
      if (!won.isOver) this.won.push({ name: request.name, wait: won });
      return { kind: 'first', which: key, value };
    }
    return null;
  }

  #put(name: string, wait: Wait): void {
    const { stored } = this.#waits.get(name)!;
    this.#waits.set(name, { wait, stored });
    const isNew = this.ops.findIndex((op) => isPutOf(op, waitOp(this.#job, name, wait)));
    if (isNew >= 0) this.ops[isNew] = waitOp(this.#job, name, wait, 'absent');
    else this.ops.push(waitOp(this.#job, name, wait, stored!.record));
  }
}

function isOfJobs({ wait }: { readonly wait: WaitRequest }): boolean {
  return wait.kind === 'children';
}

function isPutOf(op: RecordOp, other: { readonly kind: { readonly name: string }; id: string }) {
  return op.op === 'put' && op.kind.name === other.kind.name && op.id === other.id;
}

function refuseChanged(request: WaitRequest, kept: Wait): void {
  const { name } = request;
  if (kept.kind !== request.kind) throw waitChanged(name, `a wait for ${kept.kind}`);
  if (request.kind === 'message' && kept.kind === 'message' && kept.message !== request.message) {
    throw waitChanged(name, `a wait for the message "${kept.message}"`);
  }
  if (request.kind === 'first' && kept.kind === 'first') {
    const asked = request.members.map(({ key }) => key).toSorted();
    const known = kept.members.map(({ key }) => key).toSorted();
    if (asked.join('\n') === known.join('\n')) return;
    throw waitChanged(name, `a wait for the first of ${known.join(', ')}`);
  }
}

function messageWait({ message, schema }: Extract<WaitRequest, { kind: 'message' }>): MessageWait {
  const wait = { kind: 'message', message, taken: null } as const;
  return schema === undefined ? wait : { ...wait, schema };
}

function waitFor(request: WaitRequest, at: Instant): Wait {
  switch (request.kind) {
    case 'time':
      return { kind: 'time', until: at + request.delayMs };
    case 'message':
      return messageWait(request);
    case 'first': {
      const members = request.members.map(({ key, wait }) => ({ key, name: wait.name }));
      return { kind: 'first', members, onLose: request.onLose, winner: null, isOver: false };
    }
    case 'children': {
      const message = `the children of "${request.name}" were never spawned: spawn them first`;
      throw invalid([{ pointer: '/waits', message }]);
    }
  }
}
