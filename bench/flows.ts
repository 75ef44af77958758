// How fast the children of one parent drain, beside the same jobs without a parent.
//   npm run bench:flows -- --children 100000 --store sqlite|postgres
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { systemClock } from '../src/core/clock.ts';
import { systemIds } from '../src/core/ids.ts';
import { systemRandom } from '../src/core/random.ts';
import { systemTimers } from '../src/core/timers.ts';
import type { Claim } from '../src/engine/claim.ts';
import { Engine } from '../src/engine/engine.ts';
import { openContext } from '../src/engine/open-context.ts';
import { FlowFollower } from '../src/engine/flows/flow-follower.ts';
import { SPAWN_MAX } from '../src/core/flow.ts';
import { builtInLifecycles } from '../src/lifecycles/built-in.ts';
import { openSqliteStore } from '../src/store/sqlite/store.ts';
import type { Store } from '../src/store/store.ts';

const { values } = parseArgs({
  options: {
    children: { type: 'string', default: '100000' },
    url: { type: 'string' },
  },
});
const children = Number(values.children);
const CALLER = { caller: { tenant: 'acme', principal: null } };
const BATCH = 500;

function held({ job, token, key }: Claim) {
  const ref = { tenant: job.tenant, id: job.id };
  return { ref, owner: job.owner!, epoch: job.epoch, known: job, token, key };
}

async function open(folder: string): Promise<Store> {
  if (values.url === undefined) {
    return openSqliteStore({ path: join(folder, 'jobs.db'), lifecycles: builtInLifecycles });
  }
  const { openPostgresStore } = await import('../src/store/postgres/store.ts');
  return openPostgresStore({ url: values.url, lifecycles: builtInLifecycles });
}

interface Drained {
  /** Jobs a second. */
  readonly spawn: number;
  /** Jobs a second, from the first claim to the last end. */
  readonly drain: number;
  /** Of all threads while they drain, in microseconds a job. */
  readonly cpu: number;
  /** From the last end of a child to the end of its parent, in milliseconds. */
  readonly after: number;
}

/** Waits until the parent is woken, and ends it. */
async function endParent(engine: Engine): Promise<void> {
  for (;;) {
    const [next] = await engine.claim({ owner: 'w0', types: ['parent'], max: 1 });
    if (next === undefined) {
      await systemTimers.sleep(20, new AbortController().signal);
      continue;
    }
    const [state] = await engine.flows.decide(held(next), [{ name: 'parts', kind: 'children' }]);
    if (state!.state === 'open') throw new Error('woken too early');
    await engine.settle([{ ...held(next), ending: { kind: 'succeed' } }]);
    return;
  }
}

async function drain(engine: Engine, hasParent: boolean): Promise<Drained> {
  const begunAt = performance.now();
  const type = hasParent ? 'child' : 'alone';
  const items = Array.from({ length: children }, (_, index) => `k${index}`);
  let parent: Claim | null = null;
  if (hasParent) {
    await engine.enqueue([{ type: 'parent' }], CALLER);
    [parent = null] = await engine.claim({ owner: 'w0', types: ['parent'], max: 1 });
  }
  for (let offset = 0; offset < children; offset += SPAWN_MAX) {
    const part = items.slice(offset, offset + SPAWN_MAX);
    if (parent === null) {
      await engine.enqueue(
        part.map((key) => ({ type, input: key })),
        CALLER,
      );
      continue;
    }
    await engine.renew([{ ...held(parent) }]);
    await engine.flows.spawn(held(parent), {
      wait: 'parts',
      type,
      onFailure: 'collect',
      items: part.map((key) => ({ key, input: JSON.stringify(key) })),
      offset,
      isLast: offset + part.length === children,
    });
  }
  if (parent !== null) {
    await engine.flows.decide(held(parent), [{ name: 'parts', kind: 'children' }]);
    await engine.settle([{ ...held(parent), ending: { kind: 'suspend', waits: ['parts'] } }]);
  }
  const spawnedAt = performance.now();
  const usedBefore = process.cpuUsage();
  for (let ended = 0; ended < children;) {
    const claims = await engine.claim({ owner: 'w1', types: [type], max: BATCH });
    const ending = { kind: 'succeed', result: '1' } as const;
    await engine.settle(claims.map((one) => ({ ...held(one), ending })));
    ended += claims.length;
  }
  const drainedAt = performance.now();
  const used = process.cpuUsage(usedBefore);
  if (parent !== null) await endParent(engine);
  const perSecond = (ms: number): number => Math.round(children / (ms / 1_000));
  return {
    spawn: perSecond(spawnedAt - begunAt),
    drain: perSecond(drainedAt - spawnedAt),
    cpu: Math.round((used.user + used.system) / children),
    after: Math.round(performance.now() - drainedAt),
  };
}

const folder = await mkdtemp(join(tmpdir(), 'pawl-bench-'));
const store = await open(folder);
const context = openContext({
  store,
  lifecycles: builtInLifecycles,
  random: systemRandom,
  ids: systemIds(systemClock),
});
const engine = new Engine(context);
for (const type of ['parent', 'child', 'alone']) {
  const lease = { ttlMs: 600_000, heartbeatMs: 300_000 };
  await engine.putType({ tenant: 'acme', type }, { lifecycle: 'task', lease });
}
const follower = new FlowFollower(context, { timers: systemTimers });
follower.start();
const alone = await drain(engine, false);
// What the follower has left of these is no burden to the others.
await follower.stop();
await follower.runOnce();
follower.start();
const rows = { alone, 'of a parent': await drain(engine, true) };
console.table(rows);
console.log(`drain: ${(rows['of a parent'].drain / rows.alone.drain).toFixed(2)} of no parent`);
await follower.stop();
await store.close();
await rm(folder, { recursive: true, force: true });
