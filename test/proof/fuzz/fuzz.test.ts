// Requests that are wrong in every way the document leaves open: `npm run proof:fuzz` sends more.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fuzz } from './fuzz.ts';
import { fuzzScan, fuzzStream } from './parsers.ts';

const folder = mkdtempSync(join(tmpdir(), 'pawl-fuzz-'));
after(() => rmSync(folder, { recursive: true, force: true }));

test('every answer to a spoiled request is one that the document knows', async (context) => {
  const options = { seed: 7, requests: 1_500, folder, isTimeLeft: () => true };
  const { requests, operationsHit, operations, violations } = await fuzz(options);
  context.diagnostic(`${requests} requests to ${operationsHit} of ${operations} operations`);
  assert.deepEqual(violations, []);
  assert.ok(operationsHit >= 0.9 * operations, `${operationsHit} of ${operations}`);
});

test('no text gets past the scan of JSON that the limits forbid', () => {
  assert.deepEqual(fuzzScan(7, 3_000), []);
});

test('a stream reads the same however it is cut, and no bytes break the reader', async () => {
  assert.deepEqual(await fuzzStream(7, 1_000), []);
});
