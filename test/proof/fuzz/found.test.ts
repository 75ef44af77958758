// What fuzzing has found, each by the smallest request that shows it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openApi } from '../../spec/http-room.ts';

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
