import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkDatabaseUrl, connectionFault } from './database-url.ts';

const URL_GIVEN = 'postgres://pawl:s3cret@db.internal:6432/jobs';

test('an address that is none of PostgreSQL is refused by what is wrong with it', () => {
  for (const [url, words] of [
    ['db.internal', /is not an address/],
    ['mysql://pawl:s3cret@db/jobs', /begins with mysql:/],
    ['postgres://pawl:s3cret@db', /names no database/],
  ] as const) {
    assert.throws(
      () => checkDatabaseUrl('DATABASE_URL', url),
      (error: Error) => {
        assert.match(error.message, /^DATABASE_URL /);
        assert.match(error.message, words);
        assert.doesNotMatch(error.message, /s3cret/);
        return true;
      },
    );
  }
  checkDatabaseUrl('DATABASE_URL', URL_GIVEN);
});

test('what keeps a server from being reached is said of the address, without its password', () => {
  for (const [code, words] of [
    ['ENOTFOUND', /the host db\.internal, which DNS does not know/],
    ['ECONNREFUSED', /db\.internal:6432, where nothing listens/],
    ['28P01', /refuses for the user pawl/],
    ['3D000', /the database jobs, which is not there/],
  ] as const) {
    const wrapped = new Error('lost', { cause: Object.assign(new Error('x'), { code }) });
    const fault = connectionFault(URL_GIVEN, wrapped) ?? '';
    assert.match(fault, words);
    assert.doesNotMatch(fault, /s3cret/);
  }
  assert.equal(connectionFault(URL_GIVEN, new Error('something else')), null);
});
