// Which document a job is about whose caller named none, as its type says it.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { openApi } from './http-fixture.ts';

const documentFrom = { artifact: 'file', content: 'text', url: 'link' };
const limits = { activePerDocument: true, documentFrom };

function sha256(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

test('[T10] a job without a document is about its source: content, asset or URL', async () => {
  const api = await openApi();
  await api.put('/v1/types/read', { lifecycle: 'task', limits });
  const upload = await api.call('POST', '/v1/artifacts?name=a', { body: Buffer.from('bytes') });
  const file = upload.body.id;
  const nowhere = '00000000-0000-7000-8000-000000000000';
  for (const [input, documentId] of [
    [{ text: 'hello' }, sha256('hello')],
    [{ file }, sha256('bytes')],
    [{ file: nowhere }, `artifact:${nowhere}`],
    [{ link: 'https://example.org/a b?x=1#top' }, 'url:https://example.org/a%20b?x=1'],
    [{ link: `https://example.org/${'a'.repeat(600)}` }, /^url:sha256:/],
    [{ $artifact: file }, sha256('bytes')],
    [{ other: 1 }, null],
    [['text'], null],
    ['v1.sealed', null],
    [null, null],
  ] as const) {
    const { status, body } = await api.post('/v1/jobs', { type: 'read', input, queue: 'own' });
    assert.equal(status, 202, JSON.stringify(body));
    if (documentId instanceof RegExp) assert.match(body.documentId, documentId);
    else assert.equal(body.documentId, documentId, JSON.stringify(input));
    await api.post(`/v1/jobs/${body.id}/cancel`);
  }
  const named = { type: 'read', input: { text: 'hello' }, documentId: 'mine' };
  assert.equal((await api.post('/v1/jobs', named)).body.documentId, 'mine');
  assert.equal((await api.post('/v1/jobs', { type: 'read', input: { text: 'x' } })).status, 202);
  const again = await api.post('/v1/jobs/batch', {
    jobs: [{ type: 'read', input: { text: 'x' } }],
  });
  assert.equal(again.body.results[0].status, 409);
  await api.close();
});

test('[T27] a text that a job is about is told by its hash, and copied nowhere', async () => {
  const api = await openApi();
  await api.put('/v1/types/read', { lifecycle: 'task', limits });
  const text = 'a document of many pages';
  const { body } = await api.post('/v1/jobs', { type: 'read', input: { text } });
  const job = (await api.get(`/v1/jobs/${body.id}`)).body;
  assert.equal(job.documentId, sha256(text));
  const events = (await api.get(`/v1/jobs/${body.id}/events`)).body;
  assert.equal(JSON.stringify([job, events]).includes(text), false);
  await api.close();
});

test('[T10] a type that says something else of its source is refused', async () => {
  const api = await openApi();
  for (const wrong of [{ file: 'a' }, { content: '' }, { content: 7 }]) {
    const body = { lifecycle: 'task', limits: { ...limits, documentFrom: wrong } };
    assert.equal((await api.put('/v1/types/wrong', body)).status, 400, JSON.stringify(wrong));
  }
  await api.close();
});
