// Everything that the worker of a parent, those of its two children, a client, time, sweeps and who
// follows the log can do to a flow.
import { PawlError } from 'pawl/internal/core/errors';
import type { Job, JobRef } from 'pawl/internal/core/job';
import { isTerminal } from 'pawl/internal/core/phase';
import { systemTimers } from 'pawl/internal/core/timers';
import type { Claim } from 'pawl/internal/engine/claim';
import { FlowFollower } from 'pawl/internal/engine/flows/flow-follower';
import { look } from 'pawl/internal/engine/flows/look';
import type { Ownership } from 'pawl/internal/engine/owner';
import type { Ground } from '../ground.ts';

export const TENANT = 'acme';
const WAIT = { name: 'parts', kind: 'children' } as const;

/** How far the parent's worker is with its turn; it does one thing after the other. */
type Step = 'spawn' | 'decide' | 'suspend' | 'complete';

/** What workers remember, until they crash. */
export interface Hands {
  readonly parent: { readonly claim: Claim; readonly step: Step } | null;
  readonly children: Readonly<Record<string, Claim>>;
}

export interface Scene {
  readonly parent: Job;
  readonly jobs: readonly Job[];
  readonly hands: Hands;
}

/** Null: it could not be tried here, or changed nothing. */
export type Answer = { readonly hands: Hands } | null;

export interface FlowAction {
  readonly name: string;
  /** Whether a platform at rest does this by itself or through willing workers. */
  readonly isProgress: boolean;
  perform(ground: Ground, scene: Scene): Promise<Answer>;
}

type Perform = FlowAction['perform'];

function held({ job, token }: Claim): Ownership {
  const ref = { tenant: job.tenant, id: job.id };
  return { ref, owner: job.owner!, epoch: job.epoch, token };
}

/** What the engine refuses has to change nothing: the worker drops what it holds. */
async function orDrop(dropped: Hands, act: () => Promise<Hands>): Promise<Answer> {
  try {
    return { hands: await act() };
  } catch (error) {
    if (!(error instanceof PawlError)) throw error;
    return { hands: dropped };
  }
}

async function settle(
  { engine }: Ground,
  claim: Claim,
  ending: Parameters<Ground['engine']['settle']>[0][number]['ending'],
): Promise<void> {
  const [outcome] = await engine.settle([{ ...held(claim), ending }]);
  if (outcome!.kind === 'refused') throw outcome!.error;
}

/** The next thing of a turn, which is from its top: spawn, decide, and then suspend or complete. */
const goOn: Perform = async (ground, { hands }) => {
  const { parent } = hands;
  if (parent === null) return null;
  const { claim, step } = parent;
  const { flows } = ground.engine;
  const dropped = { ...hands, parent: null };
  return orDrop(dropped, async () => {
    if (step === 'spawn') {
      const items = ['a', 'b'].map((key) => ({ key, input: 'null' }));
      const set = { wait: WAIT.name, type: 'child', onFailure: 'collect' } as const;
      await flows.spawn(held(claim), { ...set, items, isLast: true });
      return { ...hands, parent: { claim, step: 'decide' } };
    }
    if (step === 'decide') {
      const [state] = await flows.decide(held(claim), [WAIT]);
      const next = state!.state === 'open' ? 'suspend' : 'complete';
      return { ...hands, parent: { claim, step: next } };
    }
    const isOver = step === 'complete';
    const ending = isOver
      ? ({ kind: 'succeed', result: '1' } as const)
      : ({ kind: 'suspend', waits: [WAIT.name] } as const);
    await settle(ground, claim, ending);
    return dropped;
  });
};

const claimParent: Perform = async ({ engine }, { hands }) => {
  if (hands.parent !== null) return null;
  const [claim] = await engine.claim({ owner: 'p', types: ['parent'], max: 1 });
  return claim === undefined ? null : { hands: { ...hands, parent: { claim, step: 'spawn' } } };
};

const honour: Perform = async (ground, { hands, parent }) => {
  if (hands.parent === null || parent.cancel === null) return null;
  const dropped = { ...hands, parent: null };
  return orDrop(dropped, async () => {
    await settle(ground, hands.parent!.claim, { kind: 'cancelled' });
    return dropped;
  });
};

const claimChild: Perform = async ({ engine }, { hands }) => {
  const [claim] = await engine.claim({ owner: 'c', types: ['child'], max: 1 });
  if (claim === undefined) return null;
  return { hands: { ...hands, children: { ...hands.children, [claim.job.id]: claim } } };
};

/** Of the children that somebody holds: both are alike, but may stand differently. */
function endChild(index: number, kind: 'succeed' | 'fail' | 'cancelled'): Perform {
  return async (ground, { hands, jobs }) => {
    const ids = Object.keys(hands.children).toSorted();
    const id = ids[index];
    if (id === undefined) return null;
    const isWished = jobs.find((job) => job.id === id)!.cancel !== null;
    if ((kind === 'cancelled') !== isWished) return null;
    const { [id]: claim, ...children } = hands.children;
    const dropped = { ...hands, children };
    const error = { class: 'internal_bug', message: 'it broke' };
    const ending = kind === 'fail' ? ({ kind, error } as const) : { kind };
    return orDrop(dropped, async () => {
      await settle(ground, claim!, ending);
      return dropped;
    });
  };
}

function cancel(mode: 'soft' | 'hard'): Perform {
  return async ({ engine }, { parent, hands }) => {
    if (isTerminal(parent.phase) || parent.cancel?.mode === mode) return null;
    const ref: JobRef = { tenant: TENANT, id: parent.id };
    const [outcome] = await engine.cancel([{ ref, actor: 'api:tester', mode, reason: null }]);
    return outcome!.kind === 'refused' ? null : { hands };
  };
}

/** One process after another follows the log: none remembers what the one before has seen. */
const follow: Perform = async ({ context }, { hands }) => {
  const follower = new FlowFollower(context, { timers: systemTimers });
  await follower.runOnce();
  await follower.stop();
  return { hands };
};

/** Whoever wrote something looks at once, or at any other time: a look too many changes nothing. */
const lookAtParent: Perform = async ({ context }, { parent, hands }) => {
  const count = await look(context, [{ tenant: TENANT, id: parent.id }]);
  return count === 0 ? null : { hands };
};

const leaseRunsOut: Perform = async ({ clock }, { parent, hands }) => {
  if (parent.leaseExpiry === null || parent.leaseExpiry <= clock.now()) return null;
  clock.advance(parent.leaseExpiry - clock.now());
  return { hands };
};

function sweep(which: 'sweepExpired' | 'sweepDue'): Perform {
  return async ({ engine }, { hands }) => {
    await engine[which]();
    return { hands };
  };
}

const ACTIONS: Readonly<Record<string, Perform>> = {
  'the parent is claimed': claimParent,
  'its turn goes on': goOn,
  'its worker honours the cancel': honour,
  'a child is claimed': claimChild,
  'one child succeeds': endChild(0, 'succeed'),
  'the other child succeeds': endChild(1, 'succeed'),
  'one child fails': endChild(0, 'fail'),
  'one child honours the cancel': endChild(0, 'cancelled'),
  'the other child honours the cancel': endChild(1, 'cancelled'),
  'the log is followed': follow,
  'somebody looks': lookAtParent,
  'the lease runs out': leaseRunsOut,
  'sweep expired': sweep('sweepExpired'),
  'sweep due': sweep('sweepDue'),
};

/** What nobody has to do for a flow to come to its end. */
const OTHERS: Readonly<Record<string, Perform>> = {
  'its worker crashes': async (_ground, { hands }) =>
    hands.parent === null ? null : { hands: { ...hands, parent: null } },
  'cancel softly': cancel('soft'),
  'cancel hard': cancel('hard'),
};

export const FLOW_ACTIONS: readonly FlowAction[] = [
  ...Object.entries(ACTIONS).map(([name, perform]) => ({ name, isProgress: true, perform })),
  ...Object.entries(OTHERS).map(([name, perform]) => ({ name, isProgress: false, perform })),
];
