// What an asynchronous failover must not mix up: two owners of one epoch, and a pooler's sessions.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { openPostgresStore } from 'pawl/internal/store/postgres/store';
import { eventually } from '../support/eventually.ts';
import { findPgbouncer, startPgbouncer } from '../support/postgres/pgbouncer.ts';
import { openWorld, type World } from '../support/world.ts';
import { ask, checkSound } from './life.ts';
import { installations } from './servers.ts';
import { type Pair, pairOf } from './standbys.ts';

const installation = installations.at(-1)!;
const label = `postgres ${installation.major}`;
const pooler = await findPgbouncer();
const skip = pooler === null ? 'there is no PgBouncer, and none may be installed' : false;

const TYPES = { work: { lifecycle: 'task', retry: { maxAttempts: 2 } } };

async function openAt(context: TestContext, url: string): Promise<World> {
  const world = await openWorld({
    store: (ports) => openPostgresStore({ ...ports, url }),
    types: TYPES,
  });
  context.after(() => world.close());
  return world;
}

test(`[R7] an epoch that is handed out on two timelines has one owner, whatever it is called (${label})`, async (context) => {
  const pair = await pairOf(context, installation);
  const world = await openAt(context, pair.url);
  const { id } = await world.enqueue('work', { n: 1 });
  await pair.caughtUp();
  await pair.cut();
  const lost = await world.claimOne('w1', 'work');
  await pair.failOver();
  const again = await eventually('the job is claimed anew', async () => {
    const [claim] = await world.claim('w1', 'work');
    return claim ?? null;
  });
  assert.deepEqual([again.job.id, again.job.epoch], [id, lost.job.epoch]);
  for (const late of [
    () => world.complete(lost, 'of the former timeline'),
    () => world.renew(lost, { progress: 90 }),
    () => world.fail(lost, 'PermanentError'),
  ]) {
    await assert.rejects(late, { code: 'LEASE_LOST' });
  }
  await world.complete(again, 'of this one');
  const job = await world.job(again.job);
  assert.deepEqual([job.phase, job.result], ['succeeded', '"of this one"']);
  await checkSound(world);
});

test(
  `a pooler does not hide from a process that another server has taken over (${label})`,
  { skip },
  async (context) => {
    const pair = await pairOf(context, installation);
    const pgbouncer = await startPgbouncer(pooler!, pair.url);
    context.after(() => pgbouncer.stop());
    const world = await openAt(context, pgbouncer.urlOf(pair.url));
    await world.enqueue('work', { n: 1 });
    await pair.caughtUp();
    await pair.cut();
    await world.enqueue('work', { of: 'a lane that is lost' }, { queue: 'slow' });
    await failOverBehind(pair, world);
    // The process knew this lane by a number that means nothing any more.
    const slow = await world.enqueue('work', { n: 2 }, { queue: 'slow' });
    const claims = await world.claim('w', 'work');
    assert.ok(claims.some(({ job }) => job.id === slow.id));
    for (const claim of claims) await world.complete(claim);
    assert.equal((await world.store.maintenance.vitals()).gauges['postgres_log_changes'], 1);
    await checkSound(world);
  },
);

/** Until the pooler has come to the new server: meanwhile calls fail, and change nothing there. */
async function failOverBehind(pair: Pair, world: World): Promise<void> {
  await pair.failOver();
  await ask(pair.standby.url, 'SELECT 1');
  const limits = { timeoutMs: 60_000 };
  const isBack = () => world.store.now().catch(() => null);
  await eventually('the pooler finds the new server', isBack, limits);
}
