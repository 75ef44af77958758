import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesToFind, bytesToStore, uuidOfBytes } from './uuid-bytes.ts';

test('an id comes back as it was stored, in 16 bytes', () => {
  const id = '019b81c1-08f4-7200-9f1c-bd251da24990';
  assert.equal(bytesToStore(id).length, 16);
  assert.equal(uuidOfBytes(bytesToStore(id)), id);
});

test('what is not a UUID in lower case is not stored and not found', () => {
  for (const id of ['', 'job-1', '019B81C1-08F4-7200-9F1C-BD251DA24990', '0'.repeat(32)]) {
    assert.equal(bytesToFind(id), null);
    assert.throws(() => bytesToStore(id), { name: 'StoreError', outcome: 'refused' });
  }
});
