import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runInNewContext } from 'node:vm';
import { defineJob } from './define-job.ts';
import { isErrorConstructor, matcherNames } from './error-matcher.ts';
import { PermanentError } from './failure.ts';

const foreign = runInNewContext('class Foreign extends Error {}; Foreign') as new () => Error;

test('an error class is told from a function that looks at an error', () => {
  abstract class Base extends Error {}
  class Thing {
    readonly isThrown = true;
  }
  const classes = [Error, TypeError, DOMException, PermanentError, class extends Error {}];
  for (const one of [...classes, Base, Thing, foreign]) {
    assert.ok(isErrorConstructor(one), one.name);
  }
  const looks = (error: unknown): boolean => error === 1;
  const methods = {
    class(this: void, error: unknown): boolean {
      return error === 1;
    },
  };
  for (const one of [
    looks,
    methods.class,
    async () => true,
    function old() {},
    'Error',
    null,
    {},
  ]) {
    assert.ok(!isErrorConstructor(one));
  }
});

test('what is stored of matchers is their names, each once and none that is empty', () => {
  const matchers = ['timeout', Error, 'Error', foreign, class extends Error {}, () => true];
  assert.deepEqual(matcherNames(matchers), ['timeout', 'Error', 'Foreign']);
  const job = defineJob('job', {
    retryable: ['network_timeout', foreign, () => true],
    fatal: [PermanentError],
    run: () => null,
  });
  assert.deepEqual(job.policy.retryable, ['network_timeout', 'Foreign']);
  assert.deepEqual(job.policy.fatal, ['PermanentError']);
});
