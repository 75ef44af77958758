// Pages of other origins, the version of the API, and charsets.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfiguration } from '@pawl/server/internal/app/configuration';
import { openLocked } from './auth-fixture.ts';

const APP = 'https://app.example.com';

const { api, holder } = await openLocked({ server: { corsOrigins: [APP] } });

test('[S9] a page of a listed origin may use the API with a credential of its own', async () => {
  const { api: own } = await holder({});
  const answer = await own.with({ origin: APP }).get('/v1/jobs');
  assert.equal(answer.status, 200);
  assert.equal(answer.headers['access-control-allow-origin'], APP);
  assert.equal(answer.headers['access-control-allow-credentials'], undefined);
  assert.match(String(answer.headers['vary']), /origin/i);
  assert.match(String(answer.headers['access-control-expose-headers']), /retry-after/);
  const refused = await api.with({ origin: APP }).get('/v1/jobs');
  assert.deepEqual([refused.status, refused.headers['access-control-allow-origin']], [401, APP]);
});

test('[S9] a preflight is answered to listed origins without a credential, and to nobody else', async () => {
  const ask = (origin: string) =>
    api.app.inject({
      method: 'OPTIONS',
      url: '/v1/jobs',
      headers: { origin, 'access-control-request-method': 'POST' },
    });
  const allowed = await ask(APP);
  assert.equal(allowed.statusCode, 204);
  assert.match(String(allowed.headers['access-control-allow-headers']), /idempotency-key/);
  assert.match(String(allowed.headers['access-control-allow-methods']), /POST/);
  const other = await ask('https://evil.example.com');
  assert.equal(other.headers['access-control-allow-origin'], undefined);
  assert.equal(other.headers['access-control-allow-methods'], undefined);
});

test('origins are refused that are none, and where no credentials are asked for', () => {
  const read = (env: NodeJS.ProcessEnv) => () => readConfiguration(env);
  assert.throws(read({ PAWL_AUTH: 'on', PAWL_CORS_ORIGINS: '*' }), /is not an origin/);
  assert.throws(read({ PAWL_AUTH: 'on', PAWL_CORS_ORIGINS: `${APP}/page` }), /is not an origin/);
  assert.throws(read({ PAWL_CORS_ORIGINS: APP }), /no credentials are asked for/);
  const { access } = readConfiguration({
    PAWL_AUTH: 'on',
    PAWL_CORS_ORIGINS: `${APP}, ${APP}:8443`,
  });
  assert.deepEqual(access.corsOrigins, [APP, `${APP}:8443`]);
});

test('every answer says the version of the API', async () => {
  for (const path of ['/livez', '/v1/jobs', '/v1/nothing']) {
    assert.equal((await api.get(path)).headers['api-version'], '1', path);
  }
});

test('a body in another charset than UTF-8 is 415', async () => {
  const { api: own } = await holder({});
  const put = (charset: string) =>
    own.call('PUT', '/v1/types/charset', {
      body: '{"lifecycle":"task"}',
      headers: { 'content-type': `application/json; charset=${charset}` },
    });
  for (const charset of ['utf-8', 'UTF-8', '"utf-8"', 'utf8']) {
    assert.ok((await put(charset)).status < 300, charset);
  }
  for (const charset of ['iso-8859-1', 'utf-16', '"latin1"', '']) {
    const answer = await put(charset);
    assert.deepEqual([answer.status, answer.body.code], [415, 'UNSUPPORTED_MEDIA_TYPE'], charset);
  }
});
