// The drill of docs/guides/operate/backups.md: back up while jobs come in, lose all of it, restore.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verify, type VerifyStep } from 'pawl/internal/doctor/verify';
import { openWorld, type World } from '../support/world.ts';
import { type Place, places } from './restore-places.ts';

const types = { work: { lifecycle: 'task', retry: { maxAttempts: 5 } } };

/** The clock of the restored platform begins later than everything that was lost. */
async function openAt(place: Pick<Place, 'open'>, seed: number): Promise<World> {
  const world = await openWorld({ store: place.open, seed, types });
  world.advance(seed * 3_600_000);
  return world;
}

async function violationsIn(world: World): Promise<VerifyStep[]> {
  const found: VerifyStep[] = [];
  for await (const step of verify(world.context)) {
    if (step.kind === 'violation') found.push(step);
  }
  return found;
}

for (const place of await places()) {
  test(`[R7] what was backed up under way is whole, and a lost future cannot write (${place.label})`, async () => {
    const before = await openAt(place, 1);
    const kept = await before.enqueue('work', { kept: true });
    const accepted = [kept.id];
    const backedUp = new AbortController();
    const writing = (async () => {
      while (!backedUp.signal.aborted) accepted.push((await before.enqueue('work')).id);
    })();
    const sure = accepted.length;
    await place.backUp();
    backedUp.abort();
    await writing;

    const lostClaim = await before.claimOne('lost-worker', 'work');
    assert.equal(lostClaim.job.id, kept.id);
    const lostJob = await before.enqueue('work', { lost: true });
    const { cursor } = await before.store.tail({ tenant: null, from: 'start', limit: 100_000 });
    const lostLog = await before.store.incarnation();
    await before.close();

    const open = await place.restore();
    const world = await openAt({ open }, 2);
    for (const id of accepted.slice(0, sure)) assert.equal(await world.stateOf(id), 'pending');
    await assert.rejects(world.job(lostJob.id), { code: 'NOT_FOUND' });
    assert.deepEqual(await violationsIn(world), []);

    assert.notEqual(await world.store.incarnation(), lostLog);
    const page = await world.store.tail({ tenant: null, from: { cursor }, limit: 1 });
    assert.equal(page.isReset, true);

    const claim = await world.claimOne('new-worker', 'work');
    assert.deepEqual([claim.job.id, claim.job.epoch], [kept.id, lostClaim.job.epoch]);
    await assert.rejects(world.complete(lostClaim), { code: 'LEASE_LOST' });
    assert.equal((await world.complete(claim)).state, 'succeeded');
    assert.deepEqual(await violationsIn(world), []);

    const again = await openAt({ open: await place.restore() }, 3);
    assert.notEqual(await again.store.incarnation(), await world.store.incarnation());
    await again.close();
    await world.close();
  });
}
