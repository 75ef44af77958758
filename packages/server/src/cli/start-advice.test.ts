import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StoreError } from 'pawl/internal/store/store-error';
import { adviceOn } from './start-advice.ts';

function coded(code: string): Error {
  return Object.assign(new Error('it failed'), { code });
}

test('a platform that cannot start says what to do next', () => {
  assert.match(adviceOn(coded('EADDRINUSE')), /^it failed\. Choose another port/);
  const lost = new StoreError(
    'unchanged',
    'the connection to the database failed',
    coded('ECONNREFUSED'),
  );
  assert.match(adviceOn(lost), /^the connection to the database failed\. Is PostgreSQL running/);
  const denied = new StoreError('refused', 'permission denied', coded('42501'));
  assert.match(adviceOn(denied), /GRANT CREATE ON DATABASE/);
});

test('a host whose addresses all fail is told apart by what each of them said', () => {
  const all = new AggregateError([coded('ECONNREFUSED'), coded('ECONNREFUSED')], 'none answers');
  assert.match(adviceOn(new StoreError('unchanged', 'lost', all)), /^lost\. Is PostgreSQL running/);
});

test('what is not known is passed on as it is', () => {
  assert.equal(adviceOn(new Error('something else')), 'something else');
});
