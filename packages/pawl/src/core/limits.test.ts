import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkLimits, limitKeysOf, limitPolicyOf } from './limits.ts';

const job = {
  type: 'export',
  documentId: 'd',
  requestedBy: 'ada',
  limitKey: null,
  correlationId: null,
};

test('[T11] a bare number limits by document', () => {
  const limits = limitPolicyOf({ runningPerKey: 2 });
  assert.deepEqual(limits?.runningPerKey, { max: 2, key: 'documentId' });
});

test('a definition that limits nothing is no limit', () => {
  assert.equal(limitPolicyOf({}), null);
  assert.equal(limitPolicyOf({ activePerDocument: false, rate: {} }), null);
});

test('a job is counted under the keys of the limits that it has a value for', () => {
  const rate = { perUser: { max: 1, perMs: 1 }, perOrganisation: { max: 1, perMs: 1 } };
  const limits = limitPolicyOf({ activePerDocument: true, runningPerKey: 1, rate });
  assert.deepEqual(limitKeysOf(limits, job, 7), {
    running: '3 7 export documentId d',
    active: '7 export d',
    user: '4 7 export ada',
    organisation: '5 7 export',
  });
  const nobody = { ...job, documentId: null, requestedBy: null };
  assert.deepEqual(limitKeysOf(limits, nobody, 7), {
    running: null,
    active: null,
    user: null,
    organisation: '5 7 export',
  });
});

test('a job that says whose limits it counts under is not counted under who asked for it', () => {
  const rate = { perUser: { max: 1, perMs: 1 } };
  const limits = limitPolicyOf({ runningPerKey: { max: 1, key: 'limitKey' }, rate });
  const { running, user } = limitKeysOf(limits, { ...job, limitKey: 'customer 7' }, 7);
  assert.deepEqual([running, user], ['3 7 export limitKey customer 7', '4 7 export customer 7']);
  assert.equal(limitKeysOf(limits, job, 7).running, '3 7 export limitKey ada');
});

test('[T12] faulty rates are named by their pointers', () => {
  const limits = limitPolicyOf({ rate: { perUser: { max: 0, perMs: 1.5 } } });
  assert.deepEqual(
    checkLimits(limits).map(({ pointer }) => pointer),
    ['/limits/rate/perUser/max', '/limits/rate/perUser/perMs'],
  );
});
