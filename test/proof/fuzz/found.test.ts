// What fuzzing has found, each by the smallest request that shows it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openApi } from '../../spec/http-fixture.ts';

test('a path that no route can read is refused as a problem, like everything else', async () => {
  const api = await openApi();
  try {
    for (const url of [`/v1/jobs/${'a'.repeat(5_000)}`, '/v1/jobs/%ff%zz']) {
      const { statusCode, headers, payload } = await api.app.inject({ method: 'GET', url });
      assert.equal(statusCode, 400);
      assert.match(String(headers['content-type']), /^application\/problem\+json/);
      assert.equal((JSON.parse(payload) as { code: string }).code, 'VALIDATION_ERROR');
    }
  } finally {
    await api.close();
  }
});

test('the answer of a server that is too busy is in the document, for every operation', async () => {
  const api = await openApi({ server: () => ({ load: { inFlightMax: 0 } }) });
  try {
    const { paths } = api.contract.document;
    for (const [path, methods] of Object.entries(paths)) {
      if (path === '/livez' || path === '/readyz') continue;
      for (const [method, { responses }] of Object.entries(methods)) {
        assert.ok('503' in responses, `${method} ${path}`);
      }
    }
    // The call itself holds the answer against the document.
    for (const path of ['/docs', '/openapi.json', '/v1/queues']) {
      assert.equal((await api.get(path)).status, 503, path);
    }
    assert.equal((await api.get('/livez')).status, 200);
  } finally {
    await api.close();
  }
});
