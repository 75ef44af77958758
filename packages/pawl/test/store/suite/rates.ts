import assert from 'node:assert/strict';
import { type LimitDefinition, limitPolicyOf } from '../../../src/core/limits.ts';
import type { Cases, JobOptions, Scene } from './scene.ts';

async function limited(scene: Scene, limits: LimitDefinition): Promise<void> {
  await scene.type('ai', 'task', { limits: limitPolicyOf(limits)! });
}

async function enqueueMany(scene: Scene, count: number, more: JobOptions = {}): Promise<string[]> {
  const options = { type: 'ai', requestedBy: 'ada', ...more };
  const jobs = await Promise.all(Array.from({ length: count }, () => scene.newJob(options)));
  await scene.store.insert(jobs);
  return jobs.map(({ id }) => id);
}

/** How many are claimed now, of each user. */
async function started(scene: Scene): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { job } of await scene.claim()) {
    const user = job.requestedBy ?? 'nobody';
    counts[user] = (counts[user] ?? 0) + 1;
  }
  return counts;
}

const PER_USER = { rate: { perUser: { max: 3, perMs: 3_000 } } } as const;

/** Every pair of starts as a window: how far the worst exceeds max + T·max/perMs. */
function excess(starts: readonly number[], { max, perMs }: { max: number; perMs: number }): number {
  let worst = -Infinity;
  starts.forEach((from, first) => {
    starts.slice(first).forEach((to, more) => {
      worst = Math.max(worst, more + 1 - max - ((to - from) * max) / perMs);
    });
  });
  return worst;
}

export const rateCases: Cases = {
  '[T12] so many start at once, and then one each time a token is due': async (scene) => {
    await limited(scene, PER_USER);
    await enqueueMany(scene, 6);
    assert.deepEqual(await started(scene), { ada: 3 });
    assert.deepEqual(await started(scene), {});
    scene.clock.advance(999);
    assert.deepEqual(await started(scene), {});
    scene.clock.advance(1);
    assert.deepEqual(await started(scene), { ada: 1 });
    scene.clock.advance(1_500);
    assert.deepEqual(await started(scene), { ada: 1 });
    scene.clock.advance(500);
    assert.deepEqual(await started(scene), { ada: 1 });
  },

  '[T12] who comes while tokens are there is let in at once, first in line first': async (
    scene,
  ) => {
    await limited(scene, PER_USER);
    const [first] = await enqueueMany(scene, 1);
    assert.equal((await scene.store.claim(scene.claimRequest()))[0]!.job.id, first);
    await enqueueMany(scene, 2);
    assert.equal((await scene.store.claim(scene.claimRequest())).length, 2);
    const [late] = await enqueueMany(scene, 1);
    const [high] = await enqueueMany(scene, 1, { priority: 100 });
    scene.clock.advance(1_000);
    assert.equal((await scene.claimOne()).id, high);
    scene.clock.advance(1_000);
    assert.equal((await scene.claimOne()).id, late);
  },

  '[T12] what lay unclaimed for long does not come on top of what time gives': async (scene) => {
    await limited(scene, PER_USER);
    await enqueueMany(scene, 20);
    for (let n = 0; n < 5; n++) {
      scene.clock.advance(3_600_000);
      await scene.store.due(100);
    }
    assert.deepEqual(await started(scene), { ada: 3 });
    assert.deepEqual(await started(scene), {});
    scene.clock.advance(1_000);
    assert.deepEqual(await started(scene), { ada: 1 });
  },

  '[T12] users have tokens of their own, and share those of their tenant': async (scene) => {
    await limited(scene, {
      rate: { perUser: { max: 2, perMs: 2_000 }, perOrganisation: { max: 3, perMs: 6_000 } },
    });
    await enqueueMany(scene, 4);
    await enqueueMany(scene, 4, { requestedBy: 'bob' });
    const first = await started(scene);
    assert.deepEqual([first['ada'], first['bob']], [2, 1]);
    scene.clock.advance(2_000);
    assert.equal(Object.values(await started(scene)).length, 1);
  },

  '[T12] a token and a time that come at once meet at the next gate, first in line first': async (
    scene,
  ) => {
    await limited(scene, {
      rate: { perUser: { max: 1, perMs: 2_000 }, perOrganisation: { max: 2, perMs: 4_000 } },
    });
    const dueAt = scene.clock.now() + 2_000;
    const [first] = await enqueueMany(scene, 1);
    const [urgent] = await enqueueMany(scene, 1, { priority: 100 });
    const [other] = await enqueueMany(scene, 1, { requestedBy: 'bob' });
    await enqueueMany(scene, 1, { requestedBy: null, runAt: dueAt });
    const claimed = (await scene.claim()).map(({ job }) => job.id);
    assert.deepEqual(new Set(claimed), new Set([first, other]));
    scene.clock.advance(2_000);
    assert.deepEqual(
      (await scene.claim()).map(({ job }) => job.id),
      [urgent],
      'the tenant has one token, and who waited for its user came before who was not due',
    );
  },

  '[T12] what a job was let through on and did not use goes to the next in line at once': async (
    scene,
  ) => {
    await limited(scene, PER_USER);
    const ids = await enqueueMany(scene, 4);
    const waiting = await scene.read({ id: ids[1]! });
    await scene.ask(waiting, { on: 'cancel', reason: null });
    const claimed = await scene.store.claim(scene.claimRequest());
    assert.deepEqual(new Set(claimed.map(({ job }) => job.id)), new Set([ids[0], ids[2], ids[3]]));
  },

  '[T12] a job of nobody is limited by its tenant only': async (scene) => {
    await limited(scene, {
      rate: { perUser: { max: 1, perMs: 1_000 }, perOrganisation: { max: 4, perMs: 1_000 } },
    });
    await enqueueMany(scene, 6, { requestedBy: null });
    assert.deepEqual(await started(scene), { nobody: 4 });
  },

  '[T12] other types and tenants are not concerned': async (scene) => {
    const other = scene.otherTenant();
    for (const one of [scene, other]) await limited(one, PER_USER);
    await enqueueMany(scene, 5);
    await scene.enqueue({ requestedBy: 'ada' });
    await enqueueMany(other, 5);
    assert.deepEqual(await started(scene), { ada: 4 });
    assert.deepEqual(await started(other), { ada: 3 });
  },

  '[T12] every start takes a token, a retry as well': async (scene) => {
    await limited(scene, { rate: { perUser: { max: 1, perMs: 1_000 } } });
    await enqueueMany(scene, 1);
    const job = await scene.claimOne();
    await scene.ask(job, { on: 'release' });
    assert.deepEqual(await scene.claim(), []);
    scene.clock.advance(1_000);
    assert.equal((await scene.claimOne()).id, job.id);
  },

  '[T12] a move that missed lets nobody on, however long a token has been due': async (scene) => {
    await limited(scene, { rate: { perUser: { max: 1, perMs: 1_000 } } });
    const [first, second] = await enqueueMany(scene, 2);
    const running = await scene.claimOne();
    assert.equal(running.id, first);
    const again = scene.move(running, { on: 'succeed' });
    await scene.ask(running, { on: 'release' });
    scene.clock.advance(1_000);
    assert.equal((await scene.apply(again)).kind, 'missed');
    assert.deepEqual(await scene.store.claim(scene.claimRequest()), []);
    assert.equal((await scene.claimOne()).id, first);
    scene.clock.advance(1_000);
    assert.equal((await scene.claimOne()).id, second);
  },

  '[T12] whoever asks for a job lets on who is first in line, also where no job is made': async (
    scene,
  ) => {
    await limited(scene, { rate: { perUser: { max: 1, perMs: 1_000 } } });
    const [first, second] = await enqueueMany(scene, 2);
    assert.equal((await scene.claimOne()).id, first);
    const known = await scene.newJob({ type: 'ai', requestedBy: 'ada', id: first! });
    scene.clock.advance(999);
    await scene.store.insert([known]);
    assert.deepEqual(await scene.store.claim(scene.claimRequest()), []);
    scene.clock.advance(1);
    assert.equal((await scene.store.insert([known]))[0]!.kind, 'exists');
    const [claimed] = await scene.store.claim(scene.claimRequest());
    assert.equal(claimed?.job.id, second);
  },

  '[T11, T12] who waits for a token keeps the slot that it has': async (scene) => {
    await limited(scene, { runningPerKey: 1, rate: { perUser: { max: 1, perMs: 1_000 } } });
    const [first, second] = await enqueueMany(scene, 3, { documentId: 'd' });
    const running = await scene.claimOne();
    assert.equal(running.id, first);
    await scene.ask(running, { on: 'succeed' });
    assert.deepEqual(await scene.claim(), []);
    scene.clock.advance(1_000);
    assert.equal((await scene.claimOne()).id, second);
    scene.clock.advance(5_000);
    assert.deepEqual(await scene.claim(), [], 'there is a token, but no slot');
  },

  '[T12] in no window are there more starts than the rate allows': async (scene) => {
    const perUser = { max: 4, perMs: 1_000 };
    const perOrganisation = { max: 6, perMs: 1_000 };
    await limited(scene, { rate: { perUser, perOrganisation } });
    const starts: { user: string; at: number }[] = [];
    for (let n = 0; n < 120; n++) {
      const requestedBy = scene.random.pick(['ada', 'bob']);
      if (n < 100) await enqueueMany(scene, scene.random.pick([0, 1, 1, 5]), { requestedBy });
      if (scene.random.next() < 0.5) await scene.store.due(100);
      if (scene.random.next() < 0.6) {
        const at = scene.clock.now();
        const max = scene.random.pick([1, 3, 100]);
        const won = await scene.store.claim(scene.claimRequest({ max }));
        starts.push(...won.map(({ job }) => ({ user: job.requestedBy!, at })));
      }
      scene.clock.advance(scene.random.pick([0, 1, 40, 333, 1_000]));
    }
    assert.ok(starts.length > 60, `only ${starts.length} were started`);
    const all = starts.map(({ at }) => at);
    assert.ok(excess(all, perOrganisation) < 1e-3, 'by tenant');
    for (const user of ['ada', 'bob']) {
      const own = starts.filter((start) => start.user === user).map(({ at }) => at);
      assert.ok(excess(own, perUser) < 1e-3, `by ${user}`);
    }
  },
};
