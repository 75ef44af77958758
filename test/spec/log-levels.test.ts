// Lines of a job's log have a level, however they come to the store.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { aesCodec } from 'pawl/internal/codec/aes-codec';
import { newPayloadKey } from 'pawl/internal/codec/key-ring';
import { encodedSink } from 'pawl/internal/codec/wrap/enqueue';
import { encodedSource } from 'pawl/internal/codec/wrap/source';
import { jobThat, openWorkshop, type Workshop } from '../support/workshop.ts';
import { TENANT } from '../support/world.ts';
import { openApi } from './http-fixture.ts';

const loud = jobThat(({ log }) => {
  log.debug('one');
  log('two');
  log.info('three');
  log.warn('four');
  log.error('five');
});

async function linesOf({ world }: Workshop, id: string): Promise<unknown[][]> {
  const query = { tenant: TENANT, id, after: null, limit: 100, notes: true };
  const { events } = await world.engine.events(query);
  const lines = events.filter(({ type }) => type === 'job_log');
  return lines.map(({ message, payload }) => [message, payload]);
}

const LEVELS = [{ level: 'debug' }, null, null, { level: 'warn' }, { level: 'error' }];

test('a handler writes lines at a level; one without is of info, which is stored as nothing', async () => {
  const shop = await openWorkshop([loud]);
  const { id } = await shop.world.enqueue('job');
  await shop.runUntilIdle(shop.worker());
  const texts = ['one', 'two', 'three', 'four', 'five'];
  assert.deepEqual(
    await linesOf(shop, id),
    texts.map((text, index) => [text, LEVELS[index]]),
  );
});

test('the level stays readable where the lines are encrypted', async () => {
  const shop = await openWorkshop([loud]);
  const { engine } = shop.world;
  const codec = aesCodec({ keys: [newPayloadKey('k1')] });
  const sink = encodedSink(engine, codec, engine.ids);
  const caller = { tenant: TENANT, principal: null };
  const [made] = await sink.enqueue([{ type: 'job', input: null }], { caller });
  assert.equal(made!.kind, 'created');
  const { jobs } = await engine.jobs({ tenant: TENANT, limit: 1 });
  await shop.runUntilIdle(shop.worker({ source: encodedSource(engine, codec) }));
  const lines = await linesOf(shop, jobs[0]!.id);
  assert.deepEqual(
    lines.map(([, payload]) => payload),
    LEVELS,
  );
  assert.ok(lines.every(([message]) => !['one', 'four'].includes(String(message))));
});

test('over HTTP a line is a text, or has its level beside it', async () => {
  const api = await openApi();
  after(() => api.close());
  const { url, held } = await api.claimed();
  await api.post(`${url}/start`, held);
  const log = ['plain', { line: 'grave', level: 'error' }];
  assert.equal((await api.post(`${url}/heartbeat`, { ...held, log })).status, 200);
  const wrong = { ...held, log: [{ line: 'odd', level: 'loud' }] };
  assert.equal((await api.post(`${url}/heartbeat`, wrong)).status, 400);
  const { body } = await api.get(`${url}/events?limit=100`);
  const lines = body.items.filter(({ type }: { type: string }) => type === 'job_log');
  assert.deepEqual(
    lines.map((line: { message: string; metadata: object }) => [line.message, line.metadata]),
    [
      ['plain', {}],
      ['grave', { level: 'error' }],
    ],
  );
});
