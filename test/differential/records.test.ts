// The same random writes and lists of records on the oracle and on every database.
//   PAWL_SEED=7 PAWL_DIFF_SEEDS=50 PAWL_DIFF_STEPS=2000   which seeds, how many, how long
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ManualClock } from 'pawl/internal/core/clock';
import type { Job } from 'pawl/internal/core/job';
import { SeededRandom } from 'pawl/internal/core/random';
import { builtInLifecycles as lifecycles } from 'pawl/internal/lifecycles/built-in';
import type {
  Expected,
  FenceOp,
  RecordKey,
  RecordKind,
  RecordOp,
  RecordQuery,
  StoredRecord,
} from 'pawl/internal/store/records';
import { StoreError } from 'pawl/internal/store/store-error';
import { Scene } from '../../packages/pawl/test/store/suite/scene.ts';
import { inMemory } from '../support/world.ts';
import {
  postgresStores,
  sqliteInline,
  sqliteThread,
  type StoreUnderTest,
} from '../support/world-stores.ts';
import { chance, fixedId } from './scene.ts';

const KINDS: readonly RecordKind[] = [
  { name: 'page', tags: ['one', 'two', 'three', 'four'] },
  { name: 'leaf', tags: ['one'] },
];
const IDS = ['a', 'b', 'B', '😀', '\uFFFD', "it's"];
const TENANTS = ['', 'acme', 'other', 'Ümlaut'];
const OWNERS = ['w1', 'w2', 'w3'];
const VALUES = ['x', 'y', '', '😀'];
const BODIES = ['{}', '{"n":1}', '{"n":2,"m":-3}', ' "text" ', '[1e400,9007199254740993]'];

interface Player {
  readonly label: string;
  readonly clock: ManualClock;
  readonly scene: Scene;
  readonly job: Job;
}

async function openPlayer({ label, open }: StoreUnderTest): Promise<Player> {
  const clock = new ManualClock();
  const scene = new Scene({ store: await open({ lifecycles, clock }), clock, lifecycles });
  return { label, clock, scene, job: await scene.running({ id: fixedId(1) }) };
}

/** Each player has the same job under a tenant of its own. */
function ownOps({ job }: Player, ops: readonly RecordOp[]): RecordOp[] {
  return ops.map((op) => (op.op === 'fence' ? { ...op, tenant: job.tenant } : op));
}

function pickKey(random: SeededRandom): RecordKey {
  const [kind, tenant] = [random.pick(KINDS), random.pick(TENANTS)];
  return { kind, tenant, id: random.pick(IDS) };
}

function pickTags(random: SeededRandom, kind: RecordKind): Record<string, string> {
  const tags = (kind.tags ?? []).filter(() => chance(random, 0.4));
  return Object.fromEntries(tags.map((tag) => [tag, random.pick(VALUES)]));
}

/** Mostly what was seen last, so that many conditions hold. */
function pickExpected(random: SeededRandom, seen: StoredRecord | undefined): Expected | undefined {
  if (chance(random, 0.4)) return undefined;
  if (seen === undefined || chance(random, 0.2)) return 'absent';
  const { version, createdAt } = seen;
  return random.pick<Expected>([
    { version },
    { version, createdAt },
    { version: version + 1 },
    { version, createdAt: createdAt - 1 },
  ]);
}

function pickDue(random: SeededRandom, now: number) {
  return random.pick([{}, { dueAt: null }, { dueAt: now + 20 }, { dueInMs: random.below(90) }]);
}

function pickOp(random: SeededRandom, stage: Stage): RecordOp {
  const key = pickKey(random);
  const expected = pickExpected(random, stage.seen.get(textOf(key)));
  const due = pickDue(random, stage.now);
  const kind = random.pick(['put', 'put', 'put', 'remove', 'add', 'fence'] as const);
  if (kind === 'fence') return pickFence(random, stage.job);
  if (kind === 'remove') {
    return { op: 'remove', ...key, ...(expected === 'absent' ? {} : { expected }) };
  }
  if (kind === 'add') {
    const members = { n: random.below(9) - 3, [random.pick(['m', '__proto__'])]: 1 };
    return {
      op: 'add',
      ...key,
      ...due,
      members,
      ...(chance(random, 0.5) ? { max: { n: 4 } } : {}),
    };
  }
  const lease = random.pick([
    undefined,
    undefined,
    null,
    { owner: random.pick(OWNERS), forMs: 1 + random.below(60) },
  ]);
  const jobId = random.pick([undefined, null, 'job 1', 'job 2']);
  const body = random.pick(BODIES);
  return {
    op: 'put',
    ...key,
    ...due,
    body,
    tags: pickTags(random, key.kind),
    expected,
    lease,
    jobId,
  };
}

function pickFence(random: SeededRandom, { tenant, id, owner, epoch }: Job): FenceOp {
  const fence: FenceOp = { op: 'fence', tenant, jobId: id, owner: owner!, epoch };
  return random.pick([fence, fence, { ...fence, epoch: 7 }, { ...fence, owner: 'nobody' }]);
}

function pickQuery(random: SeededRandom, now: number): RecordQuery {
  const kind = random.pick(KINDS);
  const maybe = <Value>(value: Value): Value | undefined =>
    chance(random, 0.3) ? value : undefined;
  return {
    kind,
    tenants: random.pick([null, [random.pick(TENANTS)], TENANTS.filter(() => chance(random, 0.5))]),
    limit: random.pick([0, 1, 3, 100]),
    tags: maybe(pickTags(random, kind)),
    jobId: maybe('job 1'),
    after: maybe(random.pick(IDS)),
    before: maybe(random.pick(IDS)),
    due: maybe(
      random.pick([{ to: 'now' as const }, { from: now, to: now + 30 }, { from: now - 9 }]),
    ),
    order: random.pick([undefined, 'ascending', 'descending', 'due']),
  };
}

/** What the oracle knows: by it arguments are chosen, the same for all. */
interface Stage {
  readonly seen: ReadonlyMap<string, StoredRecord>;
  readonly job: Job;
  readonly now: number;
}

function textOf({ kind, tenant, id }: RecordKey): string {
  return JSON.stringify([kind.name, tenant, id]);
}

type Step = (player: Player) => Promise<unknown>;

function pickStep(random: SeededRandom, stage: Stage): Step {
  const verb = random.pick([
    'write',
    'write',
    'write',
    'list',
    'count',
    'read',
    'advance',
  ] as const);
  switch (verb) {
    case 'write': {
      const ops = Array.from({ length: 1 + random.below(4) }, () => pickOp(random, stage));
      return (player) => player.scene.store.records.write(ownOps(player, ops));
    }
    case 'list': {
      const query = pickQuery(random, stage.now);
      return ({ scene }) => scene.store.records.list(query);
    }
    case 'count': {
      const { kind, tenants, tags } = pickQuery(random, stage.now);
      return ({ scene }) => scene.store.records.count({ kind, tenants, tags }, 'one');
    }
    case 'read': {
      const keys = Array.from({ length: random.below(4) }, () => pickKey(random));
      return ({ scene }) => scene.store.records.read(keys);
    }
    case 'advance': {
      const ms = random.pick([0, 1, 10, 50]);
      return async ({ clock }) => clock.advance(ms);
    }
  }
}

async function answerOf(player: Player, step: Step): Promise<unknown> {
  try {
    return await step(player);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return { outcome: error.outcome, message: error.message };
  }
}

async function everything({ scene }: Player): Promise<StoredRecord[]> {
  const pages = await Promise.all(
    KINDS.map((kind) => scene.store.records.list({ kind, tenants: null, limit: 10_000 })),
  );
  return pages.flatMap(({ records }) => records);
}

async function compare(store: StoreUnderTest, amount: { seeds: number; steps: number }) {
  const first = Number(process.env['PAWL_SEED'] ?? 1);
  const seeds = Number(process.env['PAWL_DIFF_SEEDS'] ?? amount.seeds);
  const steps = Number(process.env['PAWL_DIFF_STEPS'] ?? amount.steps);
  let written = 0;
  for (let seed = first; seed < first + seeds; seed++) {
    const random = new SeededRandom(seed);
    const oracle = await openPlayer({ label: 'memory', open: inMemory });
    const other = await openPlayer(store);
    try {
      for (let step = 0; step < steps; step++) {
        const known = await everything(oracle);
        const seen = new Map(
          known.map((one) => [JSON.stringify([one.kind, one.tenant, one.id]), one]),
        );
        const chosen = pickStep(random, { seen, job: oracle.job, now: oracle.clock.now() });
        const [expected, answer] = [await answerOf(oracle, chosen), await answerOf(other, chosen)];
        assert.deepEqual(answer, expected, `seed ${seed}, step ${step} on ${store.label}`);
        if ((answer as { kind?: string }).kind === 'written') written += 1;
      }
      assert.deepEqual(await everything(other), await everything(oracle), `seed ${seed}, the end`);
    } finally {
      await Promise.all([oracle.scene.store.close(), other.scene.store.close()]);
    }
  }
  assert.ok(written > (seeds * steps) / 10, `only ${written} writes were made`);
}

describe('random writes and lists of records come to the same on every store', () => {
  test('sqlite inline', () => compare(sqliteInline, { seeds: 12, steps: 400 }));
  test('sqlite thread', () => compare(sqliteThread, { seeds: 2, steps: 150 }));
  test('each PostgreSQL server', async () => {
    for (const store of await postgresStores()) await compare(store, { seeds: 2, steps: 250 });
  });
});
