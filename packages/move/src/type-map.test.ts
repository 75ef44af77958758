import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTypeMap, typeOf } from './type-map.ts';

const WELCOME = { kind: 'mail/welcome', type: 'welcome' };

test('a kind is mapped by its whole name before its own, and by that before its queue', () => {
  const map = parseTypeMap(['mail/welcome=whole', 'welcome=own', 'mail=queue'])!;
  assert.equal(typeOf(WELCOME, map), 'whole');
  assert.equal(typeOf({ kind: 'post/welcome', type: 'welcome' }, map), 'own');
  assert.equal(typeOf({ kind: 'mail/reset', type: 'reset' }, map), 'queue');
  assert.equal(typeOf({ kind: 'post/reset', type: 'reset' }, map), 'reset');
});

test('what is not of the form old=new is refused', () => {
  for (const text of ['mail', '=mail', 'mail=', '='])
    assert.equal(parseTypeMap([text]), null, text);
  assert.deepEqual([...parseTypeMap(['a=b=c'])!], [['a=b', 'c']]);
});
