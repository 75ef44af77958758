import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runInNewContext } from 'node:vm';
import { isErrorConstructor, matcherNames } from './error-matcher.ts';
import { PermanentError } from './failure.ts';

const foreign = runInNewContext('class Foreign extends Error {}; Foreign') as new () => Error;

test('an error class is told from a function that looks at an error', () => {
  for (const one of [Error, TypeError, PermanentError, class extends Error {}, foreign]) {
    assert.ok(isErrorConstructor(one), one.name);
  }
  const looks = (error: unknown): boolean => error === 1;
  for (const one of [looks, async () => true, function old() {}, 'Error', null, {}]) {
    assert.ok(!isErrorConstructor(one));
  }
});

test('what is stored of matchers is their names, each once and none that is empty', () => {
  const matchers = ['timeout', Error, 'Error', foreign, class extends Error {}, () => true];
  assert.deepEqual(matcherNames(matchers), ['timeout', 'Error', 'Foreign']);
});
