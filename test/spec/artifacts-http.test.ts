// Artifacts over HTTP: streamed in, seen after the commit, streamed out by signed links.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import { LINK_TTL_MS_MIN } from 'pawl/internal/artifact/link';
import type { Claim } from 'pawl/internal/engine/claim';
import { resultArtifacts } from '@pawl/server/internal/http/artifact-view';
import { type ArtifactApi, openArtifactApi } from '../support/artifact/artifact-api.ts';
import { eventually } from '../support/eventually.ts';

interface Stored {
  readonly id: string;
  readonly url: string;
  readonly urlExpiresAt: string;
  readonly size: number;
  readonly sha256: string;
}

async function upload(
  { app }: ArtifactApi,
  body: string,
  headers: Record<string, string> = {},
): Promise<Stored> {
  const url = '/v1/artifacts?name=scan.pdf';
  const answer = await app.inject({ method: 'POST', url, headers, body });
  assert.equal(answer.statusCode, 201, answer.body);
  return answer.json();
}

function putUrl({ job }: Claim, name: string): string {
  return `/v1/jobs/${job.id}/artifacts/${name}?workerId=w1&epoch=${job.epoch}`;
}

describe('uploads over HTTP', () => {
  test('an input of any type is stored as it comes, also a large one', async (context) => {
    const api = await openArtifactApi(context);
    const body = JSON.stringify({ text: 'x'.repeat(5_000) });
    const stored = await upload(api, body, { 'content-type': 'application/json' });
    assert.equal(stored.sha256, createHash('sha256').update(body).digest('hex'));
    const answer = await api.app.inject(stored.url);
    assert.deepEqual([answer.statusCode, answer.body], [200, body]);
    assert.equal(answer.headers['content-type'], 'application/json');
    const empty = await upload(api, '');
    assert.equal(empty.size, 0);
    assert.equal((await api.app.inject(empty.url)).body, '');
  });

  test('[F75] a wrong digest and a wrong length are refused and leave nothing', async (context) => {
    const api = await openArtifactApi(context);
    const digest = (text: string): string =>
      `sha-256=:${createHash('sha256').update(text).digest('base64')}:`;
    const send = (text: string): Promise<{ statusCode: number }> =>
      api.app.inject({
        method: 'POST',
        url: '/v1/artifacts',
        headers: { 'content-digest': text },
        body: 'abc',
      });
    assert.equal((await send(digest('abc'))).statusCode, 201);
    assert.equal((await send(digest('abd'))).statusCode, 400);
    assert.equal((await send('md5=:x:')).statusCode, 400);
    assert.equal(api.onDisk().length, 1);
  });

  test('[S13] too much is 413 and leaves nothing', async (context) => {
    const api = await openArtifactApi(context, { bytesMax: 10 });
    const url = '/v1/artifacts';
    const answer = await api.app.inject({ method: 'POST', url, body: 'x'.repeat(11) });
    assert.deepEqual([answer.statusCode, answer.json().code], [413, 'PAYLOAD_TOO_LARGE']);
    assert.deepEqual(api.onDisk(), []);
  });

  test('[F75] an upload whose connection breaks leaves nothing', async (context) => {
    const api = await openArtifactApi(context);
    const claim = await api.claimOne();
    await api.app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = api.app.server.address() as AddressInfo;
    const request = httpRequest({
      host: '127.0.0.1',
      port,
      method: 'PUT',
      path: putUrl(claim, 'page'),
      headers: { 'content-length': '1000' },
    });
    request.on('error', () => undefined);
    request.write('x'.repeat(500));
    await eventually('the first bytes', () => api.onDisk().length === 1);
    request.destroy();
    await eventually('nothing left', () => api.onDisk().length === 0);
    assert.deepEqual(await api.access.list(claim.job), []);
  });
});

describe('artifacts of a job over HTTP', () => {
  test('[T24] come back as links that are good for the minimum time', async (context) => {
    const api = await openArtifactApi(context);
    const claim = await api.claimOne();
    const name = encodeURIComponent('pages/übersicht 1.pdf');
    const headers = { 'content-type': 'application/pdf' };
    const url = putUrl(claim, name);
    const put = await api.app.inject({ method: 'PUT', url, headers, body: 'PDF' });
    assert.equal(put.statusCode, 201, put.body);
    await api.world.complete(claim);
    const result = await api.app.inject(`/v1/jobs/${claim.job.id}/result`);
    const link = String(result.headers['link']);
    const { artifacts } = await resultArtifacts(api.services, claim.job);
    assert.equal(artifacts[0]!.name, 'pages/übersicht 1.pdf');
    assert.ok(link.includes(artifacts[0]!.url));
    const end = api.world.clock.now() + LINK_TTL_MS_MIN;
    assert.equal(Date.parse(artifacts[0]!.urlExpiresAt), end);
    assert.match(link, /^<\/v1\/artifacts\/[^>]+>; rel="item"; type="application\/pdf"/);
    const listed = await api.app.inject(`/v1/jobs/${claim.job.id}/artifacts`);
    assert.equal(listed.json().items.length, 1);
    api.world.advance(LINK_TTL_MS_MIN - 1);
    assert.equal((await api.app.inject(artifacts[0]!.url)).body, 'PDF');
    api.world.advance(1);
    const late = await api.app.inject(artifacts[0]!.url);
    assert.deepEqual([late.statusCode, late.json().code], [403, 'LINK_EXPIRED']);
  });

  test('[R7] are refused of anybody but the owner: 409 LEASE_LOST', async (context) => {
    const api = await openArtifactApi(context);
    const claim = await api.claimOne();
    for (const url of [
      putUrl(claim, 'a').replace('w1', 'w2'),
      putUrl(claim, 'a').replace('epoch=1', 'epoch=2'),
    ]) {
      const answer = await api.app.inject({ method: 'PUT', url, body: 'x' });
      assert.deepEqual([answer.statusCode, answer.json().code], [409, 'LEASE_LOST']);
    }
    assert.deepEqual(api.onDisk(), []);
    const unknown = await api.app.inject('/v1/jobs/00000000-0000-7000-8000-000000000000/artifacts');
    assert.equal(unknown.statusCode, 404);
  });
});

describe('downloads', () => {
  test('[S8] are saved, never shown, and stay with who asked', async (context) => {
    const api = await openArtifactApi(context);
    const html = { 'content-type': 'text/html' };
    const { url, sha256 } = await upload(api, '<script>alert(1)</script>', html);
    const { headers } = await api.app.inject(url);
    assert.equal(
      headers['content-disposition'],
      `attachment; filename="scan.pdf"; filename*=UTF-8''scan.pdf`,
    );
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.equal(headers['content-security-policy'], "default-src 'none'; sandbox");
    assert.equal(headers['cache-control'], 'private, max-age=900, immutable');
    assert.equal(headers['referrer-policy'], 'no-referrer');
    assert.equal(headers['etag'], `"sha256-${sha256}"`);
  });

  test('answer ranges, conditions, and nothing that was not asked for', async (context) => {
    const api = await openArtifactApi(context);
    const { url, sha256 } = await upload(api, '0123456789');
    const etag = `"sha256-${sha256}"`;
    const get = async (headers: Record<string, string>): Promise<unknown[]> => {
      const answer = await api.app.inject({ url, headers });
      const { 'content-range': range, 'content-length': length } = answer.headers;
      const isWhole = answer.statusCode >= 400 || Number(length) === answer.body.length;
      assert.ok(isWhole || answer.statusCode === 304);
      return [answer.statusCode, range, answer.statusCode < 400 ? answer.body : ''];
    };
    assert.deepEqual(await get({ range: 'bytes=2-4' }), [206, 'bytes 2-4/10', '234']);
    assert.deepEqual(await get({ range: 'bytes=7-' }), [206, 'bytes 7-9/10', '789']);
    assert.deepEqual(await get({ range: 'bytes=-2' }), [206, 'bytes 8-9/10', '89']);
    assert.deepEqual(await get({ range: 'bytes=-99' }), [206, 'bytes 0-9/10', '0123456789']);
    assert.deepEqual(await get({ range: 'bytes=9-99' }), [206, 'bytes 9-9/10', '9']);
    assert.deepEqual(await get({ range: 'bytes=10-' }), [416, 'bytes */10', '']);
    assert.deepEqual(await get({ range: 'bytes=-0' }), [416, 'bytes */10', '']);
    const whole = [200, undefined, '0123456789'];
    for (const range of ['bytes=4-2', 'bytes=0-1,3-4', 'lines=1-2', 'bytes=-', 'x']) {
      assert.deepEqual(await get({ range }), whole, range);
    }
    assert.deepEqual(await get({ range: 'bytes=2-4', 'if-range': etag }), [
      206,
      'bytes 2-4/10',
      '234',
    ]);
    assert.deepEqual(await get({ range: 'bytes=2-4', 'if-range': '"other"' }), whole);
    assert.equal((await get({ 'if-none-match': etag }))[0], 304);
    const head = await api.app.inject({ method: 'HEAD', url });
    assert.equal(head.statusCode, 405);
  });

  test('[S7, F76] by an altered link, or after the removal, fail', async (context) => {
    const api = await openArtifactApi(context);
    const [one, two] = [await upload(api, 'one'), await upload(api, 'two')];
    const codeOf = async (url: string): Promise<string> =>
      (await api.app.inject(url)).json().code as string;
    assert.equal(await codeOf(one.url.replace(one.id, two.id)), 'LINK_INVALID');
    assert.equal(await codeOf(`/v1/artifacts/${one.id}`), 'LINK_INVALID');
    assert.equal(await codeOf(`${one.url}&x=1`), 'LINK_INVALID');
    const link = await api.app.inject(`/v1/artifacts/${one.id}/link`);
    assert.equal((await api.app.inject(link.json().url)).body, 'one');
    await api.world.context.records.artifacts.remove([{ tenant: 'default', id: one.id }]);
    assert.equal(await codeOf(one.url), 'NOT_FOUND');
    assert.equal(await codeOf(`/v1/artifacts/${one.id}/link`), 'NOT_FOUND');
    assert.equal((await api.app.inject(two.url)).body, 'two');
  });

  test('[F75] whose bytes are gone say so, and no cache keeps that', async (context) => {
    const api = await openArtifactApi(context);
    const { id, url } = await upload(api, 'one');
    const { location } = await api.access.find({ tenant: 'default', id });
    await api.files.remove([location]);
    const answer = await api.app.inject(url);
    assert.deepEqual([answer.statusCode, answer.json().code], [404, 'NOT_FOUND']);
    assert.doesNotMatch(String(answer.headers['cache-control']), /immutable/);
  });

  test('[S7] by a link to another version of the artifact fail', async (context) => {
    const api = await openArtifactApi(context);
    const first = await upload(api, 'first');
    await api.world.context.records.artifacts.remove([{ tenant: 'default', id: first.id }]);
    const url = `/v1/artifacts?id=${first.id}`;
    const again = await api.app.inject({ method: 'POST', url, body: 'second' });
    assert.equal((await api.app.inject(again.json().url)).body, 'second');
    assert.equal((await api.app.inject(first.url)).statusCode, 404);
  });
});
