// What is read again or is large: told in a line where it is known, compressed where that is taken.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { openApi } from './http-fixture.ts';

const api = await openApi();
const jobs = Array.from({ length: 20 }, () => ({ type: 'export' }));
await api.post('/v1/jobs/batch', { jobs });

for (const url of ['/v1/jobs', '/v1/types', '/v1/lifecycles', '/v1/queues', '/openapi.json']) {
  test(`${url} has an ETag, and is not sent again to who has it`, async () => {
    const first = await api.get(url);
    const tag = String(first.headers['etag']);
    assert.match(tag, /^W\/"[\w-]+"$/);
    const same = await api.with({ 'if-none-match': `"other", ${tag}` }).get(url);
    assert.deepEqual([same.status, same.body, same.headers['etag']], [304, '', tag]);
    assert.equal((await api.with({ 'if-none-match': '"other"' }).get(url)).status, 200);
  });
}

test('the ETag of a list changes with what is in it', async () => {
  const before = await api.get('/v1/jobs');
  await api.post('/v1/jobs', { type: 'export' });
  const after = await api.with({ 'if-none-match': String(before.headers['etag']) }).get('/v1/jobs');
  assert.equal(after.status, 200);
});

test('a large answer is compressed for who takes gzip, and says that it depends on that', async () => {
  const plain = await api.app.inject({ url: '/v1/jobs', headers: { host: 'localhost' } });
  assert.equal(plain.headers['content-encoding'], undefined);
  assert.match(String(plain.headers['vary']), /accept-encoding/);
  for (const accepted of ['gzip', 'br, gzip;q=0.5', 'deflate, *']) {
    const headers = { host: 'localhost', 'accept-encoding': accepted };
    const packed = await api.app.inject({ url: '/v1/jobs', headers });
    assert.equal(packed.headers['content-encoding'], 'gzip', accepted);
    assert.ok(packed.rawPayload.length < plain.rawPayload.length / 2);
    assert.equal(String(packed.headers['content-length']), String(packed.rawPayload.length));
    assert.deepEqual(JSON.parse(gunzipSync(packed.rawPayload).toString()), plain.json());
  }
});

test('who refuses gzip, asks for something else or gets little gets it as it is', async () => {
  for (const accepted of ['gzip;q=0', '*;q=0', 'br', 'identity', '']) {
    const headers = { host: 'localhost', 'accept-encoding': accepted };
    const { headers: told } = await api.app.inject({ url: '/v1/jobs', headers });
    assert.equal(told['content-encoding'], undefined, accepted);
  }
  const headers = { host: 'localhost', 'accept-encoding': 'gzip' };
  const small = await api.app.inject({ url: '/livez', headers });
  assert.equal(small.headers['content-encoding'], undefined);
});
