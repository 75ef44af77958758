import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nodeFault } from './node-version.ts';

test('an old Node is told what to do, and this one may go on', () => {
  assert.equal(nodeFault(), null);
  assert.equal(nodeFault('26.0.0'), null);
  assert.match(nodeFault('20.20.2')!, /^Node 24\.16 or newer is needed, and this is 20\.20\.2/);
  assert.match(nodeFault('24.15.9')!, /npm install node@26/);
});
