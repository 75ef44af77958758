// "Why is it not running?": every reason that the code knows, shown on every store.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { TypeDefinition } from '../../src/engine/define-type.ts';
import type { EnqueueRequest } from '../../src/engine/enqueue-request.ts';
import { type Reason, REASONS, type Why, type WhyOptions } from '../../src/engine/limits/why.ts';
import type { QueueSettings } from '../../src/engine/queues.ts';
import { realStores } from '../support/real-stores.ts';
import { inMemory, openWorld, TENANT, type World } from '../support/world.ts';

const TYPES: Readonly<Record<string, TypeDefinition>> = {
  plain: { lifecycle: 'task', retry: { maxAttempts: 3, backoff: { kind: 'fixed', baseMs: 500 } } },
  held: { lifecycle: 'document' },
  twoStep: { lifecycle: 'distributed' },
  once: { lifecycle: 'distributed', retry: { maxAttempts: 1 }, onExhausted: 'dead_lettered' },
  slots: { lifecycle: 'task', limits: { runningPerKey: 1 } },
  byUser: { lifecycle: 'task', limits: { rate: { perUser: { max: 1, perMs: 4_000 } } } },
  byTenant: { lifecycle: 'task', limits: { rate: { perOrganisation: { max: 1, perMs: 4_000 } } } },
};

interface Case {
  readonly type: string;
  readonly more?: Partial<EnqueueRequest>;
  /** What happens to a job of a queue of its own before the question. */
  readonly act?: ((world: World, queue: string) => Promise<unknown>) | undefined;
  readonly options?: WhyOptions;
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

function valve(world: World, more: object): Promise<unknown> {
  const ref = { tenant: TENANT, scope: 'type', name: 'plain', actor: 'system' } as const;
  return world.store.putValve({ ...ref, ...more });
}

const settled =
  (act: (world: World, own: Awaited<ReturnType<typeof claim>>) => Promise<unknown>, type: string) =>
  async (world: World, queue: string): Promise<void> => {
    await act(world, await claim(world, { type, message: /./ }, queue));
  };

const CASES: Readonly<Record<Reason, Case>> = {
  succeeded: {
    type: 'plain',
    act: settled((world, own) => world.complete(own), 'plain'),
    message: /ended in succeeded/,
  },
  failed: {
    type: 'plain',
    act: settled((world, own) => world.fail(own, { class: 'bad', message: 'no luck' }), 'plain'),
    message: /ended in failed: no luck/,
  },
  cancelled: {
    type: 'plain',
    act: settled(async (world, own) => {
      await world.cancel(own.job);
      await world.settle(own, { kind: 'cancelled' });
    }, 'plain'),
    message: /ended in canceled/,
  },
  dead: {
    type: 'once',
    act: settled(async (world, own) => {
      await world.fail(own, { class: 'TransientError', message: 'gone' });
    }, 'once'),
    message: /ended in dead_lettered/,
  },
  cancel_pending: {
    type: 'plain',
    act: settled((world, own) => world.cancel(own.job), 'plain'),
    message: /w1 was asked to stop/,
  },
  leased: {
    type: 'twoStep',
    act: settled(async () => undefined, 'twoStep'),
    message: /w1 has it/,
  },
  running: {
    type: 'plain',
    act: settled(async () => undefined, 'plain'),
    message: /running at worker w1/,
    check: ({ facts }) => assert.equal(facts['owner'], 'w1'),
  },
  held: { type: 'held', more: { submit: false }, message: /submit it/ },
  delayed: { type: 'plain', more: { runAt: Date.UTC(2030, 0) }, message: /not to run before 2030/ },
  backoff: {
    type: 'plain',
    act: settled((world, own) => world.fail(own, 'network_timeout'), 'plain'),
    message: /Attempt 2 of 3 comes at/,
    check: ({ until }, { clock }) => assert.equal(until, clock.now() + 500),
  },
  snoozed: {
    type: 'plain',
    act: settled((world, own) => world.snooze(own, 9_000), 'plain'),
    message: /put it off/,
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
    message: /documentId d.* is full: 1 have the slots, and 1 wait before it/,
    check: ({ facts }) => {
      assert.equal(facts['position'], 2);
      const [holder] = facts['holders'] as { id: string; owner: string }[];
      assert.equal(holder!.owner, 'w1');
    },
  },
  user_rate: {
    type: 'byUser',
    message: /rate of tester is used up.* 1 wait before it/,
    check: ({ until }, { clock }) => assert.equal(until, clock.now() + 4_000),
  },
  organisation_rate: { type: 'byTenant', message: /rate of tenant acme is used up/ },
  queue_paused: {
    type: 'plain',
    act: configure({ isPaused: true, reason: 'maintenance' }),
    message: /paused by api:ops \(maintenance\)/,
  },
  type_paused: {
    type: 'plain',
    act: (world) => valve(world, { isPaused: true }),
    message: /The type "plain" was paused by system/,
  },
  queue_full: {
    type: 'plain',
    act: configure({ concurrency: 0 }),
    message: /0 are in hand, of 0 allowed/,
  },
  type_full: {
    type: 'plain',
    act: (world) => valve(world, { concurrency: 0, reason: 'many failures' }),
    message: /of 0 allowed \(many failures\)/,
  },
  no_worker: {
    type: 'plain',
    options: { servedTypes: new Set(['other']) },
    message: /No worker has asked for jobs of type "plain"/,
  },
  in_line: {
    type: 'plain',
    options: { servedTypes: new Set(['plain']) },
    message: /may be claimed; 2 of its lane come before it/,
    check: ({ facts }) => assert.equal(facts['position'], 3),
  },
};

/** Others that are before the job, where a reason needs them. */
async function prepare(world: World, reason: Reason, queue: string): Promise<void> {
  const { type, more = {} } = CASES[reason];
  const others = { no_slot: 2, user_rate: 2, organisation_rate: 1, in_line: 2 } as const;
  const count = (others as Partial<Record<Reason, number>>)[reason] ?? 0;
  for (let n = 0; n < count; n++) await world.enqueue(type, n, { queue, ...more });
  if (reason === 'no_slot') await claim(world, CASES[reason], queue);
}

const stores = [{ label: 'memory', open: inMemory }, ...(await realStores())];

for (const { label, open } of stores) {
  void describe(`why on ${label}`, () => {
    let world: World;
    before(async () => {
      world = await openWorld({ store: open, types: TYPES });
    });
    after(() => world.close());

    for (const reason of REASONS) {
      test(`a job tells that it is ${reason.replaceAll('_', ' ')}`, async () => {
        const { type, more = {}, act, options, message, check } = CASES[reason];
        const queue = `q-${reason}`;
        await prepare(world, reason, queue);
        const job = await world.enqueue(type, null, { queue, ...more });
        await act?.(world, queue);
        const answer = await world.engine.why(job, options);
        assert.equal(answer.reason, reason, answer.message);
        assert.match(answer.message, message);
        assert.ok(Number.isInteger(answer.since));
        check?.(answer, world);
        await valve(world, { isPaused: false, concurrency: null, reason: null });
      });
    }

    test('of a job that is not there nothing can be told', async () => {
      const nobody = { tenant: TENANT, id: '01890000-0000-7000-8000-000000000000' };
      await assert.rejects(world.engine.why(nobody), { code: 'NOT_FOUND' });
      await assert.rejects(world.engine.why({ ...nobody, tenant: 'x' }), { code: 'NOT_FOUND' });
      await assert.rejects(world.engine.why({ tenant: TENANT, id: 'x' }), { code: 'NOT_FOUND' });
    });
  });
}
