// Text that must not be kept: told to the streams that are open, stored nowhere.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { searchableStores } from '../support/blind/stored-text.ts';
import { eventually } from '../support/eventually.ts';
import { openWorld } from '../support/world.ts';
import { openStation, take } from './http-station.ts';

const SECRET = 'a text of which nothing may stay';

for (const store of await searchableStores()) {
  test(`[T25] ${store.label}: live tokens leave a gap in the log and no other trace`, async () => {
    const { open, storedText } = await store.make();
    const world = await openWorld({ store: open, types: { ai: { lifecycle: 'task' } } });
    const { id } = await world.enqueue('ai');
    const claim = await world.claimOne('w1', 'ai');
    await world.renew(claim, { progress: 10, liveTokens: SECRET });
    await world.complete(claim, { response: null, persisted: false });
    const notes = (await world.events(id, { notes: true })).filter(
      ({ type }) => type === 'job_tokens',
    );
    assert.deepEqual(
      notes.map(({ payload, message }) => [payload?.['gap'], payload?.['characters'], message]),
      [[true, SECRET.length, null]],
    );
    assert.equal((await storedText()).includes(SECRET), false);
    await world.close();
  });
}

test('[T25] a stream that is open gets them, also that of all jobs; one that resumes gets the gap', async () => {
  const { api, client } = await openStation();
  const { url, id, held } = await api.claimed();
  const [own, all] = [client.events(id), client.everything()];
  await take(own, 1);
  let isHeard = false;
  void all.next().then(() => (isHeard = true));
  await eventually('the stream of all jobs has begun', async () => {
    await api.post(`${url}/heartbeat`, held);
    return isHeard;
  });
  const [beat] = await take(own, 1);
  await api.post(`${url}/heartbeat`, { ...held, liveTokens: SECRET });
  const metadata = async (stream: typeof own): Promise<unknown> => {
    for await (const item of stream) {
      if (item.kind === 'event' && item.event.type === 'job_tokens') return item.event.metadata;
    }
    return null;
  };
  const gap = { gap: true, characters: SECRET.length };
  assert.deepEqual(await metadata(own), { text: SECRET, persisted: false });
  assert.deepEqual(await metadata(all), { text: SECRET, persisted: false });
  assert.deepEqual(await metadata(client.events(id, { cursor: beat!.cursor! })), gap, 'resumed');
  const { body } = await api.get(`${url}/events`);
  assert.deepEqual(body.items.at(-1).metadata, gap);
});
