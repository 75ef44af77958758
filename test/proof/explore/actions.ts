// Everything that two workers, a client, time and the sweeps can do to one job.
import type { Ending } from '../../../src/core/ending.ts';
import type { Ownership } from '../../../src/engine/owner.ts';
import { PawlError } from '../../../src/core/errors.ts';
import type { Job, JobRef } from '../../../src/core/job.ts';
import type { Claim } from '../../../src/engine/claim.ts';
import type { Ground } from './ground.ts';

export const WORKERS = ['a', 'b'] as const;
export type WorkerName = (typeof WORKERS)[number];

/** The last job that each worker was given, until it crashes: by then it may be somebody else's. */
export type Hands = Readonly<Record<WorkerName, Claim | null>>;

/** `none`: the action could not be tried here. */
export type Answer =
  | { readonly kind: 'accepted' | 'unchanged' | 'none' }
  | { readonly kind: 'refused'; readonly code: string }
  | { readonly kind: 'claimed'; readonly claim: Claim };

export interface Action {
  readonly name: string;
  /** Whose write it is, and must be refused to everybody but the owner. */
  readonly by: WorkerName | null;
  /** Whether a platform at rest does this by itself or through a willing worker. */
  readonly isProgress: boolean;
  perform(ground: Ground, scene: { ref: JobRef; job: Job; hands: Hands }): Promise<Answer>;
}

const ACCEPTED: Answer = { kind: 'accepted' };
const NONE: Answer = { kind: 'none' };

type Perform = Action['perform'];

async function ask(call: () => Promise<unknown>): Promise<Answer> {
  try {
    const [first] = [await call()].flat() as { kind?: string; error?: PawlError }[];
    if (first?.error instanceof PawlError) return { kind: 'refused', code: first.error.code };
    return first?.kind === 'unchanged' ? { kind: 'unchanged' } : ACCEPTED;
  } catch (error) {
    if (error instanceof PawlError) return { kind: 'refused', code: error.code };
    throw error;
  }
}

/** Worker a shows the job as it was claimed, b has it read: the engine must be safe with both. */
function shown(by: WorkerName, claim: Claim): Ownership {
  const { job } = claim;
  const held = { ref: { tenant: job.tenant, id: job.id }, owner: by, epoch: job.epoch };
  return by === 'a' ? { ...held, known: job } : held;
}

function owned(by: WorkerName, call: (ground: Ground, held: Ownership) => Promise<unknown>) {
  const perform: Perform = async (ground, { hands }) => {
    const claim = hands[by];
    return claim === null ? NONE : ask(() => call(ground, shown(by, claim)));
  };
  return perform;
}

function ending(by: WorkerName, end: Ending): Perform {
  return owned(by, ({ engine }, held) => engine.settle([{ ...held, ending: end }]));
}

function workerActions(by: WorkerName, retryable: string): readonly Action[] {
  const error = { class: retryable, message: 'it broke' };
  const fatal = { class: 'internal_bug', message: 'it broke for good' };
  const verbs: Readonly<Record<string, Perform>> = {
    claim: async ({ engine }, { job }) => {
      const [claim] = await engine.claim({ owner: by, types: [job.type], max: 1 });
      return claim === undefined ? NONE : { kind: 'claimed', claim };
    },
    start: owned(by, ({ engine }, held) => engine.start([held])),
    heartbeat: owned(by, ({ engine }, held) => engine.renew([{ ...held, progress: 50 }])),
    artifact: owned(by, ({ artifacts }, held) => commitArtifact(artifacts, held)),
    complete: ending(by, { kind: 'succeed', result: `"by ${by}"` }),
    fail: ending(by, { kind: 'fail', error }),
    'fail for good': ending(by, { kind: 'fail', error: fatal }),
    snooze: ending(by, { kind: 'snooze', delayMs: 1_000 }),
    advance: ending(by, { kind: 'advance', delayMs: 1_000 }),
    release: ending(by, { kind: 'release' }),
    'honour the cancel': ending(by, { kind: 'cancelled' }),
    crash: async (_ground, { hands }) => (hands[by] === null ? NONE : ACCEPTED),
  };
  const willing = ['claim', 'start', 'complete', 'honour the cancel', 'crash'];
  const isWrite = (name: string): boolean => name !== 'claim' && name !== 'crash';
  return Object.entries(verbs).map(([name, perform]) => ({
    name: `${by}: ${name}`,
    by: isWrite(name) ? by : null,
    isProgress: willing.includes(name),
    perform,
  }));
}

async function commitArtifact(artifacts: Ground['artifacts'], { ref, owner, epoch }: Ownership) {
  const outcome = await artifacts.commit({
    tenant: ref.tenant,
    id: ref.id,
    name: 'page.pdf',
    size: 1,
    sha256: '00',
    contentType: 'application/pdf',
    location: 'here',
    holder: { jobId: ref.id, owner, epoch },
    keepMs: null,
    tenantBytesMax: null,
  });
  if (outcome.kind === 'committed') return { kind: 'moved' };
  return { kind: 'refused', error: new PawlError('LEASE_LOST', outcome.kind) };
}

function passTime(until: (job: Job) => number | null): Perform {
  return async ({ clock }, { job }) => {
    const at = until(job);
    if (at === null || at <= clock.now()) return NONE;
    clock.advance(at - clock.now());
    return ACCEPTED;
  };
}

const by = 'api:tester';

const SURROUNDINGS: Readonly<Record<string, Perform>> = {
  submit: ({ engine }, { ref }) => ask(() => engine.submit(ref, by)),
  'cancel softly': ({ engine }, { ref }) =>
    ask(() => engine.cancel([{ ref, actor: by, mode: 'soft', reason: null }])),
  'cancel hard': ({ engine }, { ref }) =>
    ask(() => engine.cancel([{ ref, actor: by, mode: 'hard', reason: null }])),
  reject: ({ engine }, { ref }) =>
    ask(() => engine.reject({ ref, actor: by, error: { class: 'queue_overload', message: '' } })),
  'dead-letter': ({ engine }, { ref }) =>
    ask(() => engine.deadLetter({ ref, actor: by, reason: 'policy_violation', message: '' })),
  'the lease runs out': passTime((job) => job.leaseExpiry),
  'the wait is over': passTime((job) => job.runAt),
  'sweep expired': ({ engine }) => ask(() => engine.sweepExpired()),
  'sweep due': ({ engine }) => ask(() => engine.sweepDue()),
};

const AT_REST = ['submit', 'the lease runs out', 'the wait is over', 'sweep expired', 'sweep due'];

export function actionsFor(retryable: string): readonly Action[] {
  const around = Object.entries(SURROUNDINGS).map(([name, perform]) => ({
    name,
    by: null,
    isProgress: AT_REST.includes(name),
    perform,
  }));
  return [...WORKERS.flatMap((name) => workerActions(name, retryable)), ...around];
}
