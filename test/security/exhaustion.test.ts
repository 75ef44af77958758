// Requests that ask for more than they should have: of time, of memory, of the database.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { lastNote } from '@pawl/server/internal/http/last-note';
import { Portion } from '@pawl/server/internal/http/portion';
import { SharedReads } from 'pawl/internal/engine/live/shared-reads';
import { openApi } from '../spec/http-fixture.ts';
import { inSqlite } from '../support/in-sqlite.ts';
import { openWorld, TENANT } from '../support/world.ts';
import { openSecurityFixture } from './fixture.ts';

const fixture = await openSecurityFixture();
const admin = await fixture.holder({});
await admin.put('/v1/types/t', { lifecycle: 'task' });

/** Every pattern of the document, which are all that texts of callers are held against. */
function patternsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = (value as { pattern?: unknown }).pattern;
  const below = Object.values(value).flatMap(patternsIn);
  return typeof own === 'string' ? [own, ...below] : below;
}

test('[S12] no pattern takes more than one way through a text, however long and mean it is', async () => {
  const { json } = await admin.get('/openapi.json');
  const patterns = [...new Set(patternsIn(json))];
  assert.ok(patterns.length > 0);
  const long = 50_000;
  for (const pattern of patterns) {
    // A quantifier over a group that has one itself is what takes for ever.
    assert.doesNotMatch(pattern, /\([^)]*[+*][^)]*\)[+*{]/, pattern);
    const regex = new RegExp(pattern, 'u');
    for (const mean of ['a', 'a.', ' ', '0', '-', '/', 'é', '\t']) {
      regex.test(`${mean.repeat(long)}!`);
      regex.test(`${mean.repeat(long)}\u0000`);
    }
  }
});

test('[S13] a body is refused by what it is, not by what it says it is', async () => {
  const bomb = gzipSync(Buffer.alloc(64 * 1_048_576, '['));
  const headers = { 'content-encoding': 'gzip' };
  const packed = await admin.call('POST', '/v1/jobs', { body: bomb, headers });
  assert.ok([400, 413, 415].includes(packed.status), packed.text);
  const long = Buffer.from(`{"type":"t","input":"${'x'.repeat(2 * 1_048_576)}"}`);
  assert.equal((await admin.call('POST', '/v1/jobs', { body: long })).status, 413);
  const deep = Buffer.from(`{"type":"t","input":${'['.repeat(100_000)}`);
  assert.equal((await admin.call('POST', '/v1/jobs', { body: deep })).status, 400);
  const many = { jobs: Array.from({ length: 1_001 }, () => ({ type: 't' })) };
  assert.equal((await admin.post('/v1/jobs/batch', many)).status, 400);
  assert.equal((await admin.get('/v1/jobs?limit=501')).status, 400);
  const name = 'n'.repeat(129);
  assert.equal((await admin.post('/v1/jobs', { type: 't', queue: name })).status, 400);
});

test('[S14] a stream reads no more than its reader takes', () => {
  const portion = new Portion();
  const sizes: number[] = [];
  for (let round = 0; round < 8; round++) {
    sizes.push(portion.size);
    portion.took(portion.size, true);
  }
  assert.deepEqual(sizes, [16, 32, 64, 128, 256, 500, 500, 500]);
  portion.took(3, false);
  assert.equal(portion.size, 16, 'one that stalls is read for in small portions again');
});

test('[S14] what all readers of a job ask for at once is read once, and anew after news', async () => {
  const reads = new SharedReads();
  let made = 0;
  const { promise, resolve } = Promise.withResolvers<number>();
  const read = (): Promise<number> => {
    made += 1;
    return promise;
  };
  const asked = Array.from({ length: 500 }, () => reads.share('job', read));
  assert.equal(made, 1);
  reads.forget();
  const later = reads.share('job', read);
  assert.equal(made, 2, 'what began before the news does not have them');
  resolve(7);
  assert.deepEqual(new Set(await Promise.all([...asked, later])), new Set([7]));
  await reads.share('job', read);
  assert.equal(made, 3, 'nothing is kept once it is read');
  await assert.rejects(
    reads.share('bad', () => Promise.reject(new Error('no'))),
    /no/,
  );
});

test('[S14] the place of a new reader is found without reading what it comes after', async () => {
  const api = await openApi();
  const { id, held, url } = await api.claimed();
  const { engine } = api.world;
  const ref = { tenant: 'default', id };
  for (const count of [0, 1, 2, 3, 37]) {
    for (let note = 0; note < count; note++) {
      await api.post(`${url}/heartbeat`, { ...held, log: [`line ${note}`] });
    }
    const job = await engine.job(ref);
    const { events } = await engine.events({ ...ref, after: null, limit: 1_000, notes: true });
    const last = events.findLast(({ version }) => version === job.version)?.note ?? 0;
    assert.equal(await lastNote(engine, job), last, `${count} more notes`);
  }
  await api.close();
});

test('[S25] a key of a request is short, and keys are forgotten with their window', async () => {
  const keyed = async (length: number): Promise<number> => {
    const headers = { 'idempotency-key': 'k'.repeat(length) };
    return (await admin.call('POST', '/v1/jobs', { body: { type: 't' }, headers })).status;
  };
  assert.deepEqual([await keyed(480), await keyed(481)], [202, 400]);
  const api = await openApi();
  const post = (key: string) =>
    api.with({ 'idempotency-key': key }).post('/v1/jobs', { type: 'export' });
  for (let n = 0; n < 50; n++) await post(`k${n}`);
  assert.equal((await post('k0')).status, 200);
  assert.equal((await api.world.engine.sweepRetention()).keys, 0, 'none may go yet');
  api.world.advance(25 * 3_600_000);
  assert.equal((await api.world.engine.sweepRetention()).keys, 50, 'the window is over');
  assert.equal((await post('k0')).status, 202);
  await api.close();
});

test('[S25] a queue that is full takes no more', async () => {
  const settings = { highWatermark: 3, lowWatermark: 1 };
  await admin.call('PATCH', '/v1/queues/small', { body: settings });
  const statuses: number[] = [];
  for (let n = 0; n < 5; n++) {
    statuses.push((await admin.post('/v1/jobs', { type: 't', queue: 'small' })).status);
  }
  assert.deepEqual(statuses, [202, 202, 202, 503, 503]);
});

test('[S25] dead letters end with time', async () => {
  const world = await openWorld({
    store: inSqlite,
    types: { index: { lifecycle: 'distributed' } },
  });
  for (let n = 0; n < 3; n++) {
    await world.enqueue('index');
    await world.fail(await world.claimOne('w1', 'index'), 'PermanentError');
  }
  const left = async (): Promise<number> =>
    (await world.engine.deadLetters({ tenant: TENANT, limit: 100 })).length;
  world.advance(89 * 86_400_000);
  await world.engine.sweepRetention();
  assert.equal(await left(), 3);
  world.advance(2 * 86_400_000);
  await world.engine.sweepRetention();
  assert.equal(await left(), 0);
  await world.close();
});
