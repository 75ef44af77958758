import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KnownPosition, POSITION_HEADER } from './position.ts';

function told(position: string): Pick<Response, 'headers'> {
  return { headers: new Headers({ [POSITION_HEADER]: position }) };
}

const SILENT = { headers: new Headers() };

function sentBy(known: KnownPosition): string | undefined {
  return known.headers[POSITION_HEADER];
}

test('a client sends back the furthest position of a log that it was told', () => {
  const known = new KnownPosition();
  assert.equal(sentBy(known), undefined, 'none before it was told one');
  known.heed('GET', told('a.10'));
  known.heed('GET', SILENT);
  assert.equal(sentBy(known), 'a.10');
  known.heed('POST', told('a.30'));
  known.heed('POST', told('a.9'));
  assert.equal(sentBy(known), 'a.30', 'answers may come in another order');
  known.heed('POST', told('b.5'));
  assert.equal(sentBy(known), 'b.5', 'places of two logs cannot be compared');
});

test('a client that cannot know how far it has written asks the primary', () => {
  for (const answer of [SILENT, null]) {
    const known = new KnownPosition();
    known.heed('POST', told('a.30'));
    known.heed('POST', answer);
    assert.equal(sentBy(known), undefined);
  }
});
