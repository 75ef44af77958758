// An operation is a verb and a seed: its arguments are chosen when its turn comes, from what the
// oracle knows then. So any operation can be left out, and the rest still make sense.
import type { Job } from 'pawl/internal/core/job';
import type { Phase } from 'pawl/internal/core/phase';
import { SeededRandom } from 'pawl/internal/core/random';
import type { Claim, ClaimOptions } from 'pawl/internal/engine/claim';
import type { Ownership } from 'pawl/internal/engine/owner';
import type { Contestant } from './contestant.ts';
import { pickClaim, pickOffer } from './claims.ts';
import { FLOW_VERBS } from './flow-verbs.ts';
import {
  pickBeat,
  pickEnding,
  pickFailure,
  pickReason,
  pickRequest,
  TYPE_NAMES,
  TYPES,
} from './requests.ts';
import {
  chance,
  type Holding,
  pickHoldings,
  pickJump,
  pickRef,
  pickRefWhere,
  type Scene,
  TENANTS,
} from './scene.ts';

/** One call with its arguments fixed, the same for every contestant. */
export interface Call {
  readonly text: string;
  perform(contestant: Contestant): Promise<unknown>;
}

type Choose = (random: SeededRandom, scene: Scene) => Call;

function call(name: string, args: unknown, perform: Call['perform']): Call {
  return { text: `${name} ${JSON.stringify(args)}`, perform };
}

function isOpen(job: Job, lifecycle: string): boolean {
  return job.lifecycle === lifecycle && job.completedAt === null;
}

function holdingKey({ ref, owner, epoch }: Holding): string {
  return [ref.tenant, ref.id, owner, epoch].join('/');
}

function withKnown(contestant: Contestant, held: Ownership, isShown: boolean): Ownership {
  const claim = contestant.claimed.get(holdingKey(held));
  if (!isShown || claim === undefined) return held;
  const { job: known, token, key } = claim;
  return { ...held, known, token, key };
}

function claimAs(options: ClaimOptions): Call {
  return call('claim', options, async (contestant) =>
    kept(contestant, await contestant.engine.claim(options)),
  );
}

/** Remembers what was won; gives back what must be the same for all, in one order. */
function kept({ claimed }: Contestant, claims: readonly Claim[]): unknown[] {
  for (const claim of claims) {
    const { job } = claim;
    claimed.set(holdingKey({ ref: job, owner: job.owner!, epoch: job.epoch }), claim);
  }
  return claims
    .toSorted((one, other) => (one.job.id < other.job.id ? -1 : 1))
    .map(({ token: _token, key: _key, ...claim }) => claim);
}

const VERBS = {
  putType: (random) => {
    const type = random.pick(TYPE_NAMES);
    const tenant = chance(random, 0.3) ? random.pick(TENANTS) : '*';
    const definition = random.pick(TYPES[type]!);
    return call('putType', { tenant, type, definition }, ({ engine }) =>
      engine.putType({ tenant, type }, definition),
    );
  },
  enqueue: (random, scene) => enqueue(random, scene, 1),
  enqueueBatch: (random, scene) => enqueue(random, scene, 2 + random.below(4)),
  submit: (random, scene) => {
    const ref = pickRefWhere(random, scene, (job) => job.phase === 'held');
    return call('submit', ref, ({ engine }) => engine.submit(ref, 'api:tester'));
  },
  claim: (random) => claimAs(pickClaim(random)),
  start: (random, scene) => {
    const held = pickHoldings(random, scene);
    const isShown = chance(random, 0.3);
    return call('start', { held, isShown }, (contestant) =>
      contestant.engine.start(held.map((one) => withKnown(contestant, one, isShown))),
    );
  },
  renew: (random, scene) => {
    const isShown = chance(random, 0.3);
    const beats = pickHoldings(random, scene).map((held) => pickBeat(random, held));
    return call('renew', { beats, isShown }, (contestant) =>
      contestant.engine.renew(
        beats.map((beat) => ({ ...beat, ...withKnown(contestant, beat, isShown) })),
      ),
    );
  },
  settle: (random, scene) => settle(random, scene, 1),
  settleTwice: (random, scene) => settle(random, scene, 2),
  cancel: (random, scene) => {
    const requests = [1, ...(chance(random, 0.2) ? [2] : [])].map(() => ({
      ref: pickRefWhere(random, scene, (job) => job.phase !== 'executing'),
      actor: 'api:tester',
      mode: random.pick(['soft', 'soft', 'hard'] as const),
      reason: random.pick([null, 'no longer wanted']),
    }));
    const asked = [...new Map(requests.map((one) => [one.ref.id, one])).values()];
    return call('cancel', asked, ({ engine }) => engine.cancel(asked));
  },
  cancelRunning: (random, scene) => {
    const ref = pickRefWhere(random, scene, (job) => job.phase === 'executing');
    const asked = { ref, actor: 'api', mode: random.pick(['soft', 'hard'] as const), reason: null };
    return call('cancel', asked, ({ engine }) => engine.cancel([asked]));
  },
  reject: (random, scene) => {
    const canReject = (job: Job): boolean => job.phase === 'ready' && job.lifecycle !== 'task';
    const ref = pickRefWhere(random, scene, canReject);
    const asked = { ref, actor: 'api', error: pickFailure(random) };
    return call('reject', asked, ({ engine }) => engine.reject(asked));
  },
  deadLetter: (random, scene) => {
    const ref = pickRefWhere(random, scene, (job) => isOpen(job, 'distributed'));
    const asked = { ref, actor: 'api', reason: pickReason(random), message: 'by hand' };
    return call('deadLetter', asked, ({ engine }) => engine.deadLetter(asked));
  },
  replay: (random, scene) => {
    const ref = scene.letters.length > 0 ? random.pick(scene.letters) : pickRef(random, scene);
    const caller = { tenant: ref.tenant, principal: 'tester' };
    const input = chance(random, 0.3) ? { input: { n: 9 } } : {};
    return call('replay', { ref, ...input }, async ({ engine }) => {
      const letters = await engine.deadLetters({ tenant: ref.tenant, limit: 1_000 });
      const deadLetterId = letters.find(({ jobId }) => jobId === ref.id)?.id ?? ref.id;
      return engine.replay({ deadLetterId, caller, ...input });
    });
  },
  sweepDue: () => call('sweepDue', null, ({ engine }) => engine.sweepDue()),
  sweepExpired: () => call('sweepExpired', null, ({ engine }) => engine.sweepExpired()),
  sweepDeadlines: () => call('sweepDeadlines', null, ({ engine }) => engine.sweepDeadlines()),
  advance: (random, scene) => {
    const ms = pickJump(random, scene);
    return call('advance', ms, async ({ clock, store }) => {
      clock.advance(ms);
      return store.now();
    });
  },
  query: (random, scene) => {
    const job = scene.jobs.length > 0 ? random.pick(scene.jobs) : null;
    const names = ['type', 'state', 'phase', 'queue', 'documentId', 'correlationId'] as const;
    const filter = Object.fromEntries(
      names.flatMap((name) => {
        const wanted = job?.[name] ?? null;
        return wanted !== null && chance(random, 0.3) ? [[name, wanted]] : [];
      }),
    );
    const before = job !== null && chance(random, 0.3) ? { before: job.id } : {};
    const query = { tenant: random.pick(TENANTS), limit: random.pick([1, 3, 50]), ...filter };
    return call('list', { ...query, ...before }, ({ engine }) =>
      engine.jobs({ ...query, ...before }),
    );
  },
} satisfies Record<string, Choose>;

/** What brings some job further, where pure chance would mostly knock on closed doors. */
function proceed(random: SeededRandom, scene: Scene): Call {
  const stands = (...phases: Phase[]): boolean =>
    scene.jobs.some((job) => phases.includes(job.phase));
  const verbs: (keyof typeof VERBS)[] = [];
  if (stands('leased')) verbs.push('start', 'start');
  if (stands('leased', 'executing')) verbs.push('settle', 'settle', 'settle', 'renew');
  if (stands('ready')) verbs.push('claim', 'claim');
  if (stands('waiting')) verbs.push('advance', 'sweepDue', 'sweepDue');
  const isLate = scene.jobs.some((job) => job.leaseExpiry !== null && job.leaseExpiry <= scene.now);
  if (isLate) verbs.push('sweepExpired', 'sweepExpired');
  if (verbs.length === 0) verbs.push('enqueue');
  return VERBS[random.pick(verbs)](random, scene);
}

/** Beside the verbs that every seed has, for those with flows in them. */
const LATER_VERBS = {
  ...FLOW_VERBS,
  claimWithRevisions: (random: SeededRandom): Call => claimAs(pickOffer(random)),
};

const CHOICES = { ...VERBS, ...LATER_VERBS, proceed };

export type Verb = keyof typeof CHOICES;

export interface Operation {
  readonly verb: Verb;
  readonly seed: number;
}

const WEIGHTS: Readonly<Record<Exclude<Verb, keyof typeof LATER_VERBS>, number>> = {
  proceed: 60,
  putType: 3,
  enqueue: 12,
  enqueueBatch: 4,
  submit: 4,
  claim: 9,
  start: 3,
  renew: 5,
  settle: 6,
  settleTwice: 4,
  cancel: 2,
  cancelRunning: 3,
  reject: 2,
  deadLetter: 3,
  replay: 2,
  sweepDue: 4,
  sweepExpired: 6,
  sweepDeadlines: 4,
  advance: 7,
  query: 3,
};

const BAG: readonly Verb[] = Object.entries(WEIGHTS).flatMap(([verb, weight]) =>
  Array.from({ length: weight }, () => verb as Verb),
);

const FLOW_WEIGHTS: Readonly<Record<keyof typeof LATER_VERBS, number>> = {
  spawn: 10,
  suspend: 12,
  send: 6,
  follow: 10,
  claimWithRevisions: 16,
};

const FLOW_BAG: readonly Verb[] = [
  ...BAG,
  ...Object.entries(FLOW_WEIGHTS).flatMap(([verb, weight]) =>
    Array.from({ length: weight }, () => verb as Verb),
  ),
];

/** Seeds from here on have flows in them; below they mean what they always did. */
export const FLOW_SEEDS = 50_000_000;

/** The first operations register the types; all that follows is chance. */
export function pickOperations(seed: number, steps: number): readonly Operation[] {
  const random = new SeededRandom(seed);
  const bag = seed < FLOW_SEEDS ? BAG : FLOW_BAG;
  return Array.from({ length: steps }, (_, index) => ({
    verb: index < 12 ? 'putType' : random.pick(bag),
    seed: random.below(2 ** 31),
  }));
}

export function callOf(operation: Operation, scene: Scene): Call {
  return CHOICES[operation.verb](new SeededRandom(operation.seed), scene);
}

function enqueue(random: SeededRandom, scene: Scene, count: number): Call {
  const caller = { tenant: random.pick(TENANTS), principal: random.pick([null, 'tester']) };
  const isBatch = count > 1;
  const requests = Array.from({ length: count }, () => pickRequest(random, scene, isBatch));
  return call('enqueue', { caller, requests }, ({ engine }) =>
    engine.enqueue(requests, { caller }),
  );
}

function settle(random: SeededRandom, scene: Scene, times: number): Call {
  const isShown = chance(random, 0.3);
  const settlements = pickHoldings(random, scene).map((held) => ({
    ...held,
    ending: pickEnding(random),
  }));
  const claim = chance(random, 0.3) ? pickClaim(random) : null;
  return call('settle', { settlements, isShown, times, claim }, async (contestant) => {
    const { engine } = contestant;
    const answers: unknown[] = [];
    for (let n = 0; n < times; n++) {
      const asked = settlements.map((one) => ({ ...one, ...withKnown(contestant, one, isShown) }));
      if (claim === null) {
        answers.push(await engine.settle(asked));
        continue;
      }
      const { outcomes, claims } = await engine.settleAndClaim(asked, claim);
      answers.push(outcomes, kept(contestant, claims));
    }
    return answers;
  });
}
