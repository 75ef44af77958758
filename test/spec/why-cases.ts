// How each reason comes about, and what the answer says of it.
import { auditOps } from 'pawl/internal/records/audit';
import assert from 'node:assert/strict';
import type { TypeDefinition } from 'pawl/internal/engine/define-type';
import type { EnqueueRequest } from 'pawl/internal/engine/enqueue-request';
import type { Reason, Why } from 'pawl/internal/engine/limits/why';
import type { QueueSettings } from 'pawl/internal/engine/queues';
import { holdingOf, TENANT, type World } from '../support/world.ts';

export const TYPES: Readonly<Record<string, TypeDefinition>> = {
  plain: { lifecycle: 'task', retry: { maxAttempts: 3, backoff: { kind: 'fixed', baseMs: 500 } } },
  held: { lifecycle: 'document' },
  pinned: { lifecycle: 'task' },
  twoStep: { lifecycle: 'distributed' },
  once: { lifecycle: 'distributed', retry: { maxAttempts: 1 }, onExhausted: 'dead_lettered' },
  slots: { lifecycle: 'task', limits: { runningPerKey: 1 } },
  byUser: { lifecycle: 'task', limits: { rate: { perUser: { max: 1, perMs: 4_000 } } } },
  paced: { lifecycle: 'task', limits: { runningPerKey: 2 } },
  byTenant: { lifecycle: 'task', limits: { rate: { perOrganisation: { max: 1, perMs: 4_000 } } } },
};

interface Case {
  readonly type: string;
  readonly more?: Partial<EnqueueRequest>;
  /** What happens to a job of a queue of its own before the question. */
  readonly act?: ((world: World, queue: string) => Promise<unknown>) | undefined;
  readonly message: RegExp;
  readonly check?: (why: Why, world: World) => void;
}

async function claim(world: World, { type }: Case, queue: string) {
  const [found] = await world.claim('w1', type, { queues: [queue], max: 1 });
  return found!;
}

function configure(settings: QueueSettings): Case['act'] {
  return (world, queue) =>
    world.engine.configureQueue({ tenant: TENANT, queue }, { actor: 'api:ops', settings });
}

export function rule(world: World, more: object): Promise<unknown> {
  const ref = { tenant: TENANT, scope: 'type', name: 'plain', actor: 'system' } as const;
  return world.store.putDispatchRule({ ...ref, ...more });
}

export async function announce(
  world: World,
  types: readonly string[],
  state: 'working' | 'draining' | 'stopped',
): Promise<void> {
  const sign = { tenant: TENANT, id: 'w9', host: null, pid: null, version: null, slots: 4 };
  await world.engine.announce([{ ...sign, types, state, isAnnounced: true }]);
}

/** Null lifts it. */
export async function throttle(world: World, ceiling: number | null): Promise<void> {
  const rules = await world.engine.rules(TENANT);
  const seen = rules.find(({ scope }) => scope === 'type')?.throttle ?? null;
  const now = world.clock.now();
  const facts = { baseline: 8, bound: null, failed: 30, ended: 40, since: now, changedAt: now };
  const next = ceiling === null ? null : { ceiling, ...facts };
  const id = world.engine.ids.next();
  const entry = { tenant: TENANT, id, actor: 'system', subject: 'type plain', details: null };
  const told = auditOps([{ ...entry, action: 'concurrency_reduced' }]);
  const change = { tenant: TENANT, type: 'plain', seen, next, actor: 'system', with: told };
  assert.ok(await world.store.control.throttle(change));
}

const settled =
  (act: (world: World, own: Awaited<ReturnType<typeof claim>>) => Promise<unknown>, type: string) =>
  async (world: World, queue: string): Promise<void> => {
    await act(world, await claim(world, { type, message: /./ }, queue));
  };

export const CASES: Readonly<Record<Reason, Case>> = {
  succeeded: {
    type: 'plain',
    act: settled((world, own) => world.complete(own), 'plain'),
    message: /ended as succeeded/,
  },
  failed: {
    type: 'plain',
    act: settled((world, own) => {
      return world.fail(own, { class: 'PermanentError', message: 'no luck' });
    }, 'plain'),
    message: /ended as failed: no luck/,
  },
  cancelled: {
    type: 'plain',
    act: settled(async (world, own) => {
      await world.cancel(own.job);
      await world.settle(own, { kind: 'cancelled' });
    }, 'plain'),
    message: /ended as canceled/,
  },
  dead: {
    type: 'once',
    act: settled(async (world, own) => {
      await world.fail(own, { class: 'TransientError', message: 'gone' });
    }, 'once'),
    message: /ended as dead_lettered/,
  },
  cancel_pending: {
    type: 'plain',
    act: settled((world, own) => world.cancel(own.job), 'plain'),
    message: /w1 was asked to stop/,
  },
  leased: {
    type: 'twoStep',
    act: settled(async () => undefined, 'twoStep'),
    message: /w1 has claimed it/,
  },
  running: {
    type: 'plain',
    act: settled(async () => undefined, 'plain'),
    message: /Worker w1 is running it/,
    check: ({ facts }) => assert.equal(facts['owner'], 'w1'),
  },
  held: { type: 'held', more: { submit: false }, message: /submit it/ },
  delayed: { type: 'plain', more: { runAt: Date.UTC(2030, 0) }, message: /scheduled for 2030/ },
  backoff: {
    type: 'plain',
    act: settled((world, own) => world.fail(own, 'network_timeout'), 'plain'),
    message: /Attempt 2 of 3 comes at/,
    check: ({ until }, { clock }) => assert.equal(until, clock.now() + 500),
  },
  waiting_for: {
    type: 'plain',
    act: settled(async (world, own) => {
      const wait = { name: 'said', kind: 'message', message: 'approve' } as const;
      await world.engine.flows.decide(holdingOf(own), [wait]);
      await world.settle(own, { kind: 'suspend', waits: ['said'] });
    }, 'plain'),
    message: /^It waits for the message "approve"\.$/,
  },
  snoozed: {
    type: 'plain',
    act: settled((world, own) => world.snooze(own, 9_000), 'plain'),
    message: /snoozed it until/,
  },
  due: {
    type: 'plain',
    act: settled(async (world, own) => {
      await world.snooze(own, 10);
      world.advance(10);
    }, 'plain'),
    message: /next sweep/,
  },
  no_slot: {
    type: 'slots',
    more: { documentId: 'd' },
    message: /documentId d.* is at its limit: 1 running, 1 waiting ahead of it/,
    check: ({ facts }) => {
      assert.equal(facts['position'], 2);
      const [holder] = facts['holders'] as { id: string; owner: string }[];
      assert.equal(holder!.owner, 'w1');
    },
  },
  user_rate: {
    type: 'byUser',
    message: /rate of tester is used up.* 1 waiting ahead of it/,
    check: ({ until, facts }, { clock }) => {
      assert.deepEqual([until, facts['nextTokenAt']], [null, clock.now() + 4_000]);
      assert.deepEqual(facts['estimate'], { at: clock.now() + 8_000, basis: 'rate' });
    },
  },
  organisation_rate: {
    type: 'byTenant',
    message: /rate of tenant acme is used up/,
    check: ({ until, facts }, { clock }) => {
      assert.equal(until, clock.now() + 4_000, 'it is the first, so its time is known');
      assert.equal(facts['position'], 1);
    },
  },
  queue_paused: {
    type: 'plain',
    act: configure({ isPaused: true, reason: 'maintenance' }),
    message: /paused by api:ops \(maintenance\)/,
  },
  type_paused: {
    type: 'plain',
    act: (world) => rule(world, { isPaused: true }),
    message: /The type "plain" was paused by system/,
  },
  queue_full: {
    type: 'plain',
    act: configure({ concurrency: 0 }),
    message: /0 are in flight, of 0 allowed/,
  },
  type_full: {
    type: 'plain',
    act: (world) => rule(world, { concurrency: 0, reason: 'many failures' }),
    message: /of 0 allowed \(many failures\)/,
  },
  type_throttled: {
    type: 'plain',
    act: (world) => throttle(world, 1),
    message: /in flight, of 1 allowed: fewer run at once since 30 of 40 attempts have failed/,
    check: ({ facts, since }, { clock }) => {
      assert.deepEqual(
        [facts['ceiling'], facts['baseline'], facts['failureRate'], facts['since'], since],
        [1, 8, 0.75, clock.now(), clock.now()],
      );
      assert.ok((facts['owned'] as number) >= 1);
    },
  },
  no_worker: {
    type: 'plain',
    act: (world) => announce(world, ['other', 'plain'], 'draining'),
    message: /No worker for jobs of type "plain"/,
  },
  no_worker_with_revision: {
    type: 'pinned',
    act: async (world, queue) => {
      const revisions = { pinned: { name: 'v1', pin: true } };
      const [own] = await world.claim('w1', 'pinned', { queues: [queue], revisions });
      await world.release(own!);
      await announce(world, ['pinned'], 'working');
    },
    message: /pinned to revision "v1", which no worker offers/,
    check: ({ facts }) => {
      assert.deepEqual([facts['revision'], facts['offered'], facts['workers']], ['v1', [null], 0]);
    },
  },
  in_line: {
    type: 'plain',
    act: (world) => announce(world, ['other', 'plain'], 'working'),
    message: /can be claimed; jobs of its lane ahead of it: 2/,
    check: ({ facts }) => assert.deepEqual([facts['position'], facts['workers']], [3, 1]),
  },
};

/** Who stands in a line is told where in it, and when its turn should come. */
export const IN_LINE: ReadonlySet<Reason> = new Set([
  'no_slot',
  'user_rate',
  'organisation_rate',
  'queue_paused',
  'type_paused',
  'queue_full',
  'type_full',
  'type_throttled',
  'no_worker',
  'no_worker_with_revision',
  'in_line',
]);

/** Reasons that end by the clock, each at a time that is known. */
export const TIMED: ReadonlySet<Reason> = new Set([
  'cancel_pending',
  'leased',
  'running',
  'delayed',
  'backoff',
  'snoozed',
  'due',
]);

/** Others that are before the job, where a reason needs them. */
export async function prepare(world: World, reason: Reason, queue: string): Promise<void> {
  const { type, more = {} } = CASES[reason];
  const others = {
    no_slot: 2,
    user_rate: 2,
    organisation_rate: 1,
    in_line: 2,
    type_throttled: 1,
  } as const;
  const count = (others as Partial<Record<Reason, number>>)[reason] ?? 0;
  for (let n = 0; n < count; n++) await world.enqueue(type, n, { queue, ...more });
  if (reason === 'no_slot' || reason === 'type_throttled') await claim(world, CASES[reason], queue);
}
