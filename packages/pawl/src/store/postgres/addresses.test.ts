import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressesIn, Ring } from './addresses.ts';

test('a URL with one host is taken as it is', () => {
  const url = 'postgres://pawl:s3cret@db:6432/jobs?sslmode=require';
  assert.deepEqual(addressesIn(url), { urls: [url], wanted: 'any' });
});

test('a URL with several hosts is one URL for each, and means the one that takes writes', () => {
  assert.deepEqual(
    addressesIn('postgres://pawl:a%2Cb@one:5432,two,[::1]:6432/jobs?sslmode=require'),
    {
      urls: [
        'postgres://pawl:a%2Cb@one:5432/jobs?sslmode=require',
        'postgres://pawl:a%2Cb@two/jobs?sslmode=require',
        'postgres://pawl:a%2Cb@[::1]:6432/jobs?sslmode=require',
      ],
      wanted: 'read-write',
    },
  );
  const sockets = 'postgres:///jobs?host=/run/a,/run/b&port=5432,5433&target_session_attrs=primary';
  const { urls, wanted } = addressesIn(sockets);
  assert.equal(wanted, 'primary');
  const [one, other] = urls.map((url) => new URLSearchParams(url.split('?')[1]));
  assert.deepEqual([one!.get('host'), one!.get('port')], ['/run/a', '5432']);
  assert.deepEqual([other!.get('host'), other!.get('port')], ['/run/b', '5433']);
});

test('a server that cannot be written to is refused where it is asked for', () => {
  const url = 'postgres://one,two/jobs?target_session_attrs=standby';
  assert.throws(() => addressesIn(url), /target_session_attrs=standby, and Pawl writes/);
});

test('of several addresses the next is tried once, whoever finds the first one dead', () => {
  const ring = new Ring(['a', 'b', 'c']);
  ring.pass('a');
  ring.pass('a');
  assert.equal(ring.current, 'b');
  ring.pass('b');
  ring.pass('c');
  assert.equal(ring.current, 'a');
});
