// A job keeps the revision of the handler that first took it; a pinned one goes on with it alone.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { PawlError } from 'pawl/internal/core/errors';
import type { Revisions } from 'pawl/internal/core/revision';
import type { Claim } from 'pawl/internal/engine/claim';
import { type FlowWorld, openFlowWorld } from '../support/flow-world.ts';
import { realStores } from '../support/real-stores.ts';
import { holdingOf, inMemory, TENANT } from '../support/world.ts';

const stores = [{ label: 'memory', open: inMemory }, ...(await realStores())];

const TYPES = {
  retried: { lifecycle: 'task', retry: { maxAttempts: 9, backoff: { kind: 'fixed', baseMs: 0 } } },
  once: { lifecycle: 'distributed', retry: { maxAttempts: 1 }, onExhausted: 'dead_lettered' },
} as const;

function offered(type: string, name: string, pin: boolean): { revisions: Revisions } {
  return { revisions: { [type]: { name, pin } } };
}

for (const { label, open } of stores) {
  describe(`revisions on ${label}`, () => {
    let flow: FlowWorld;
    before(async () => {
      flow = await openFlowWorld({ store: open, types: TYPES });
    });
    after(() => flow.world.close());

    async function take(type: string, name: string, pin = true): Promise<Claim | undefined> {
      await flow.world.context.flowLooks.idle();
      await flow.world.sweep();
      const [claim] = await flow.world.claim(`w-${name}`, type, offered(type, name, pin));
      return claim;
    }

    /** A job of the type that `v1` has just taken and is pinned to. */
    async function begun(type: string): Promise<Claim> {
      await flow.world.enqueue(type);
      const claim = await take(type, 'v1');
      assert.deepEqual([claim!.job.revision, claim!.job.isPinned], ['v1', true]);
      return claim!;
    }

    /** Only `v1` gets it, and nobody who offers nothing. */
    async function onlyForFirst(type: string, id: string): Promise<Claim> {
      assert.equal(await take(type, 'v2'), undefined);
      assert.deepEqual(await flow.world.claim('w', type), []);
      const claim = await take(type, 'v1');
      assert.equal(claim?.job.id, id);
      return claim;
    }

    test('the turns of a pinned flow go to its revision, its children to whom they come', async () => {
      const parent = await begun('parent');
      const { ids } = await flow.spawn(parent, { items: [{ key: 'a', input: 'null' }] });
      await flow.waitFor(parent, { name: 'parts', kind: 'children' });
      const child = await take('child', 'v2', false);
      assert.deepEqual([child!.job.id, child!.job.revision], [ids[0], 'v2']);
      await flow.world.complete(child!);
      await flow.follow();
      const turn = await onlyForFirst('parent', parent.job.id);
      const ended = await flow.world.complete(turn);
      assert.deepEqual([ended.revision, ended.isPinned, ended.phase], ['v1', true, 'succeeded']);
    });

    test('a message and a time wake a pinned flow for its revision', async () => {
      const parent = await begun('parent');
      await flow.waitFor(parent, { name: 'said', kind: 'message', message: 'go' });
      await flow.send(parent.job, 'go');
      await flow.follow();
      const second = await onlyForFirst('parent', parent.job.id);
      await flow.waitFor(second, { name: 'pause', kind: 'time', delayMs: 5_000 });
      flow.world.advance(5_000);
      await flow.follow();
      await flow.world.complete(await onlyForFirst('parent', parent.job.id));
    });

    test('a retry, a snooze, a release and a lost lease leave a job to its revision', async () => {
      let claim = await begun('retried');
      const { id } = claim.job;
      await flow.world.fail(claim, 'network_timeout');
      claim = await onlyForFirst('retried', id);
      await flow.world.snooze(claim, 1_000);
      flow.world.advance(1_000);
      claim = await onlyForFirst('retried', id);
      await flow.world.release(claim);
      claim = await onlyForFirst('retried', id);
      flow.world.advance(600_000);
      claim = await onlyForFirst('retried', id);
      assert.equal((await flow.world.complete(claim)).revision, 'v1');
    });

    test('an end and a claim in one call fix and keep revisions alike', async () => {
      const first = await begun('retried');
      await flow.world.release(first);
      const other = await flow.world.enqueue('retried');
      const { engine } = flow.world;
      const asked = { owner: 'w-v2', types: ['retried'], max: 9 };
      const claim = await engine.settleAndClaim([], {
        ...asked,
        ...offered('retried', 'v2', true),
      });
      assert.deepEqual(
        claim.claims.map(({ job }) => [job.id, job.revision]),
        [[other.id, 'v2']],
      );
      const ending = { kind: 'release' } as const;
      const next = await engine.settleAndClaim([{ ...holdingOf(claim.claims[0]!), ending }], {
        ...asked,
        ...offered('retried', 'v1', true),
      });
      assert.deepEqual(
        next.claims.map(({ job }) => [job.id, job.revision]),
        [[first.job.id, 'v1']],
      );
      for (const id of [other.id, first.job.id]) await flow.world.cancel(id, 'hard');
    });

    test('a job without a pin is for everybody, and keeps the revision that first took it', async () => {
      await flow.world.enqueue('retried');
      const first = await take('retried', 'v1', false);
      await flow.world.release(first!);
      const second = await take('retried', 'v2');
      assert.deepEqual([second!.job.revision, second!.job.isPinned], ['v1', false]);
      await flow.world.release(second!);
      const [third] = await flow.world.claim('w', 'retried');
      assert.equal((await flow.world.complete(third!)).revision, 'v1');
    });

    test('a rerun and a replay begin without a revision', async () => {
      const claim = await begun('once');
      await flow.world.start(claim);
      const dead = await flow.world.fail(claim, 'TransientError');
      assert.deepEqual([dead.phase, dead.revision], ['dead', 'v1']);
      const { engine } = flow.world;
      const caller = { tenant: TENANT, principal: 'tester' };
      const again = await engine.rerun({ id: dead.id, caller });
      const letters = await engine.deadLetters({ tenant: TENANT, limit: 9 });
      const deadLetterId = letters.find(({ jobId }) => jobId === dead.id)!.id;
      const replayed = await engine.replay({ deadLetterId, caller });
      for (const { job } of [again, replayed]) {
        assert.deepEqual([job.revision, job.isPinned], [null, false]);
      }
      const claims = await flow.world.claim('w-v2', 'once', offered('once', 'v2', true));
      assert.deepEqual(
        claims.map(({ job }) => job.revision),
        ['v2', 'v2'],
      );
    });

    test('it tells that no worker offers its revision, and which ones are there', async () => {
      const claim = await begun('retried');
      await flow.world.release(claim);
      const said = { host: null, pid: null, version: null, slots: 1, state: 'working' } as const;
      const sign = { tenant: TENANT, types: ['retried'], ...said, isAnnounced: true };
      const { engine } = flow.world;
      assert.equal((await engine.why(claim.job)).reason, 'no_worker');
      await engine.announce([
        { ...sign, id: 'w1', ...offered('retried', 'v3', true) },
        { ...sign, id: 'w2', ...offered('retried', 'v2', false) },
        { ...sign, id: 'w3' },
      ]);
      const { reason, message, facts } = await engine.why(claim.job);
      assert.equal(reason, 'no_worker_with_revision');
      assert.match(message, /pinned to revision "v1", which no worker offers/);
      assert.match(
        message,
        /\("retried" is offered as none, "v2", "v3"\): start a worker that offers it/,
      );
      assert.deepEqual([facts['revision'], facts['offered']], ['v1', [null, 'v2', 'v3']]);
      await engine.announce([{ ...sign, id: 'w4', ...offered('retried', 'v1', false) }]);
      const there = await engine.why(claim.job);
      assert.deepEqual([there.reason, there.facts['workers']], ['in_line', 1]);
      await flow.world.cancel(claim.job, 'hard');
      for (const id of ['w1', 'w2', 'w3', 'w4']) {
        await engine.announce([{ ...sign, id, state: 'stopped' }]);
      }
    });

    test('an offer that cannot be meant is refused', async () => {
      const faultsOf = async (revisions: unknown): Promise<string[]> => {
        const asked = { revisions: revisions as Revisions };
        const error = await flow.world.claim('w', 'once', asked).then(
          () => assert.fail('it was not refused'),
          (thrown: PawlError) => thrown,
        );
        return error.faults.map(({ pointer, message }) => `${pointer} ${message}`);
      };
      const name = 'must be 1 to 64 letters, digits or . _ : / -';
      for (const wrong of ['', 'v@1', ' v1', 'v'.repeat(65), 7, null]) {
        const faults = await faultsOf({ once: { name: wrong, pin: true } });
        assert.deepEqual(faults, [`/revisions/once/name ${name}`]);
      }
      assert.deepEqual(await faultsOf({ 'a/b': { name: 'v1', pin: true } }), [
        '/revisions/a~1b is not among the types of the claim: add it to `types`',
      ]);
    });
  });
}
