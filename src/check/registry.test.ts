import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { JOB_INVARIANTS, SET_INVARIANTS } from './registry.ts';

const folder = import.meta.dirname;
const invariants = [...JOB_INVARIANTS, ...SET_INVARIANTS];

test('every invariant has an id of its own and a sentence', () => {
  const ids = invariants.map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length);
  for (const { id, sentence } of invariants) {
    assert.match(id, /^[ILSW]\d+$/);
    assert.ok(sentence.length > 20, id);
  }
});

test('every invariant has a test that breaks it on purpose', () => {
  const tests = globSync('*.test.ts', { cwd: folder });
  const text = tests.map((name) => readFileSync(`${folder}/${name}`, 'utf8')).join('\n');
  const planted = new Set([...text.matchAll(/\bplanted\(\s*'(\w+)'/g)].map((match) => match[1]));
  assert.deepEqual(planted, new Set(invariants.map(({ id }) => id)));
});
