// Artifacts: bytes are there before their record, and nothing is left of what failed.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Content } from 'pawl/internal/artifact/artifact-store';
import { StoreError } from 'pawl/internal/store/store-error';
import type { Store } from 'pawl/internal/store/store';
import {
  contentOf,
  openArtifactWorld,
  textArtifact,
  textOf,
} from '../support/artifact/artifact-world.ts';
import { inSqlite } from '../support/in-sqlite.ts';
import { holdingOf } from '../support/world.ts';

const options = { store: inSqlite, types: { export: { lifecycle: 'task' } } } as const;

async function* gated(gate: Promise<void>): Content {
  yield Buffer.from('first ');
  await gate;
  yield Buffer.from('second');
}

describe('artifacts of a job', () => {
  test('[R36] are committed before the job succeeds, whole and readable', async (context) => {
    const { world, access } = await openArtifactWorld(context, options);
    await world.enqueue('export');
    const claim = await world.claimOne('w1', 'export');
    const put = await access.put(holdingOf(claim), textArtifact('deck.pdf', contentOf('a', 'b')));
    await world.complete(claim);
    const [listed] = await access.list(claim.job);
    assert.deepEqual(listed, put);
    assert.deepEqual([put.size, put.jobId], [2, claim.job.id]);
    assert.equal(await textOf(await access.open(listed)), 'ab');
    assert.equal(await textOf(await access.open(listed, { first: 1, last: 1 })), 'b');
  });

  test('[R36, F75] an upload still under way when the job ends is never seen', async (context) => {
    const { world, access, onDisk } = await openArtifactWorld(context, options);
    await world.enqueue('export');
    const claim = await world.claimOne('w1', 'export');
    const { promise, resolve } = Promise.withResolvers<void>();
    const late = access.put(holdingOf(claim), textArtifact('late', gated(promise)));
    const refused = assert.rejects(late, { code: 'LEASE_LOST' });
    await world.complete(claim);
    resolve();
    await refused;
    assert.deepEqual(await access.list(claim.job), []);
    assert.deepEqual(onDisk(), []);
  });

  test('[R7, F75] a zombie’s artifact is refused, before and after its bytes', async (context) => {
    const { world, access, onDisk } = await openArtifactWorld(context, options);
    await world.enqueue('export');
    const zombie = await world.claimOne('w1', 'export');
    const { promise, resolve } = Promise.withResolvers<void>();
    const sending = access.put(holdingOf(zombie), textArtifact('page', gated(promise)));
    const refused = assert.rejects(sending, { code: 'LEASE_LOST' });
    world.advance(10 * 60_000);
    await world.sweep();
    const owner = await world.claimOne('w2', 'export');
    await access.put(holdingOf(owner), textArtifact('page', contentOf('right')));
    resolve();
    await refused;
    const again = access.put(holdingOf(zombie), textArtifact('page', contentOf('wrong')));
    await assert.rejects(again, { code: 'LEASE_LOST' });
    await world.complete(owner);
    assert.deepEqual(onDisk(), ['right']);
    assert.equal((await access.list(owner.job)).length, 1);
  });

  test('one of the same name takes the place of the other, bytes included', async (context) => {
    const { world, access, onDisk } = await openArtifactWorld(context, options);
    await world.enqueue('export');
    const held = holdingOf(await world.claimOne('w1', 'export'));
    await access.put(held, textArtifact('page', contentOf('one')));
    await access.put(held, textArtifact('page', contentOf('two')));
    assert.deepEqual(onDisk(), ['two']);
    assert.equal((await access.list(held.ref, held)).length, 1);
  });

  for (const mode of ['soft', 'hard'] as const) {
    test(`[T8, R14] of a job cancelled the ${mode} way nothing stays`, async (context) => {
      const { world, access, sweep, onDisk } = await openArtifactWorld(context, options);
      await world.enqueue('export');
      const claim = await world.claimOne('w1', 'export');
      await access.put(holdingOf(claim), textArtifact('half'));
      await world.cancel(claim.job.id, mode);
      if (mode === 'soft') {
        assert.equal((await sweep.runOnce()).stale, 0);
        await world.settle(claim, { kind: 'cancelled' });
        world.advance(60_000);
      }
      assert.deepEqual(await sweep.runOnce(), { stale: 1, orphans: 0, unfinished: 0 });
      assert.deepEqual([onDisk(), await access.list(claim.job)], [[], []]);
    });
  }

  test('[P4] of a failed attempt stay for the next one, and go with the job', async (context) => {
    const { world, access, sweep, onDisk } = await openArtifactWorld(context, options);
    await world.enqueue('export');
    for (let attempt = 1; attempt <= 3; attempt++) {
      const claim = await world.claimOne('w1', 'export');
      assert.equal((await access.list(claim.job, holdingOf(claim))).length, attempt - 1);
      await access.put(holdingOf(claim), textArtifact(`page ${attempt}`));
      await world.fail(claim, 'network_timeout');
      assert.equal((await sweep.runOnce()).stale, attempt === 3 ? 3 : 0);
      world.advance(60_000);
      await world.sweep();
    }
    assert.deepEqual(onDisk(), []);
  });
});

describe('uploads', () => {
  test('[T27] a raw document is named in the job, not copied into it', async (context) => {
    const { world, access } = await openArtifactWorld(context, options);
    const raw = 'a document of many pages';
    const upload = await access.upload('acme', textArtifact('scan.pdf', contentOf(raw)));
    const metadata = { pages: 3 };
    const job = await world.enqueue('export', { $artifact: upload.id }, { metadata });
    const row = JSON.stringify(await world.job(job.id));
    assert.equal(row.includes(raw), false);
    assert.equal(row.includes('scan.pdf'), false);
    const found = await access.find({ tenant: 'acme', id: upload.id });
    assert.equal(await textOf(await access.open(found)), raw);
    await assert.rejects(access.find({ tenant: 'other', id: upload.id }), { code: 'NOT_FOUND' });
  });

  test('sent again under the same id are the same, and another is refused', async (context) => {
    const { world, access, onDisk } = await openArtifactWorld(context, options);
    const id = world.engine.ids.next();
    const first = await access.upload('acme', { ...textArtifact('a'), id });
    assert.deepEqual(await access.upload('acme', { ...textArtifact('a'), id }), first);
    const other = access.upload('acme', { ...textArtifact('a', contentOf('other')), id });
    await assert.rejects(other, { code: 'ALREADY_EXISTS', status: 409 });
    assert.deepEqual(onDisk(), ['hello']);
  });

  test('end with their time, bytes and all', async (context) => {
    const limits = { uploadKeepMs: 5_000 };
    const { world, access, sweep, onDisk } = await openArtifactWorld(context, {
      ...options,
      limits,
    });
    await access.upload('acme', textArtifact('scan.pdf'));
    world.advance(4_999);
    assert.equal((await sweep.runOnce()).stale, 0);
    world.advance(1);
    assert.equal((await sweep.runOnce()).stale, 1);
    assert.deepEqual(onDisk(), []);
  });

  test('[S13] over the quota, or over what one may have, leave nothing', async (context) => {
    const limits = { tenantBytesMax: 7, bytesMax: 6 };
    const { access, onDisk } = await openArtifactWorld(context, { ...options, limits });
    await access.upload('acme', textArtifact('a', contentOf('12345')));
    const second = access.upload('acme', textArtifact('b', contentOf('678')));
    await assert.rejects(second, { code: 'QUOTA_EXCEEDED', status: 403 });
    const large = access.upload('other', textArtifact('b', contentOf('1234567')));
    await assert.rejects(large, { code: 'PAYLOAD_TOO_LARGE', status: 413 });
    assert.deepEqual(onDisk(), ['12345']);
  });

  test('with names that say nothing or too much are refused', async (context) => {
    const { access } = await openArtifactWorld(context, options);
    for (const name of ['', 'a\nb', 'a\u0000b', 'x'.repeat(513), '\ud800']) {
      await assert.rejects(access.upload('acme', textArtifact(name)), { code: 'VALIDATION_ERROR' });
    }
    const strange = { ...textArtifact('a'), contentType: 'text/html\r\nx: y' };
    await assert.rejects(access.upload('acme', strange), { code: 'VALIDATION_ERROR' });
    const fine = await access.upload('acme', textArtifact('../../etc/passwd'));
    assert.match(fine.location, /^[0-9a-f-]{36}$/);
  });
});

describe('what a crash leaves behind', () => {
  /** A store whose next commit of an artifact ends as told. */
  function failing({ records }: Store, end: 'before' | 'after'): void {
    const write = records.write.bind(records);
    records.write = async (ops) => {
      records.write = write;
      if (end === 'after') await write(ops);
      throw new StoreError('unknown', 'the answer was lost');
    };
  }

  test('[F75] bytes whose commit never happened are removed after a time', async (context) => {
    const { world, access, sweep, onDisk, age } = await openArtifactWorld(context, options);
    failing(world.store, 'before');
    await assert.rejects(access.upload('acme', textArtifact('a')), { outcome: 'unknown' });
    age(0);
    assert.equal((await sweep.runOnce()).orphans, 0);
    assert.equal(onDisk().length, 1);
    age(1_001);
    assert.equal((await sweep.runOnce()).orphans, 1);
    assert.deepEqual(onDisk(), []);
  });

  test('[F75] bytes whose commit happened are kept, its answer lost or not', async (context) => {
    const { world, access, sweep, onDisk, age } = await openArtifactWorld(context, options);
    failing(world.store, 'after');
    await assert.rejects(access.upload('acme', textArtifact('a')), { outcome: 'unknown' });
    age(86_400_000);
    assert.equal((await sweep.runOnce()).orphans, 0);
    assert.deepEqual(onDisk(), ['hello']);
  });
});
