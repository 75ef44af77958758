import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readPublicUrl } from './public-url.ts';

test('the public address has no slash at its end, and may be left out', () => {
  const read = (text: string) => readPublicUrl({ PAWL_PUBLIC_URL: text });
  assert.equal(readPublicUrl({}), null);
  assert.equal(read(''), null);
  assert.equal(read('https://jobs.example.org/'), 'https://jobs.example.org');
  assert.equal(read('http://example.org/pawl'), 'http://example.org/pawl');
  for (const text of ['jobs.example.org', 'ftp://example.org', 'https://example.org/?a', 'http:']) {
    assert.throws(() => read(text), /PAWL_PUBLIC_URL is ".*": give an address such as/, text);
  }
});
