import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { document } from '../lifecycles/document.ts';
import { task } from '../lifecycles/task.ts';
import { convert } from '../../../studio/src/convert/job.ts';
import type { Failure } from './decision.ts';
import { ERROR_CLASSES, isFinalClass, isLoss } from './error-class.ts';
import { judgeRetry, type RetryRule, retryHint } from './retry-rule.ts';

const ANY: RetryRule = { retryable: null, fatal: [] };

function failure(errorClass: string, more: Partial<Failure> = {}): Failure {
  return { class: errorClass, message: '', ...more };
}

function isRetried(rule: RetryRule, error: Failure): boolean {
  return judgeRetry(rule, error).isRetried;
}

describe('an error is retried', () => {
  test('[T6] by default, whatever its class, unless it is final everywhere', () => {
    for (const name of ['Error', 'TypeError', 'weird', 'TransientError', 'timeout', 'toString']) {
      assert.ok(isRetried(ANY, failure(name)), name);
    }
    for (const name of Object.keys(ERROR_CLASSES)) {
      assert.equal(isRetried(ANY, failure(name)), !isFinalClass(name), name);
    }
  });

  test('[T5] where a type lists any, only if it is listed, itself or by a class it is of', () => {
    const rule = { ...ANY, retryable: ['network_timeout', 'MailError'] };
    assert.ok(isRetried(rule, failure('network_timeout')));
    assert.ok(!isRetried(rule, failure('Error')));
    const derived = failure('MailServerDown', {
      classes: ['MailServerDown', 'MailError', 'Error'],
    });
    assert.ok(isRetried(rule, derived));
  });

  test('not if it, or a class it is of, is fatal, listed or not', () => {
    const rule = { retryable: ['BadAddress', 'Error'], fatal: ['BadAddress'] };
    assert.ok(!isRetried(rule, failure('BadAddress')));
    assert.ok(!isRetried(rule, failure('Worse', { classes: ['Worse', 'BadAddress', 'Error'] })));
    assert.ok(isRetried(rule, failure('Error')));
  });

  test('[T6] by a list with "Error" only where no more derived class is final', () => {
    const rule = { ...ANY, retryable: ['Error'] };
    const classes = ['PermanentError', 'JobFailure', 'Error'];
    assert.ok(!isRetried(rule, failure('PermanentError', { classes })));
    assert.ok(isRetried({ ...ANY, retryable: ['PermanentError'] }, failure('PermanentError')));
  });

  test('always after a loss, also with an empty list', () => {
    for (const name of ['worker_lost', 'handler_crashed']) {
      assert.ok(isLoss(name));
      assert.ok(isRetried({ retryable: [], fatal: [name], isRetryFixed: true }, failure(name)));
    }
    assert.ok(!isRetried({ ...ANY, retryable: [] }, failure('Error')));
    assert.ok(!isRetried({ ...ANY, retryable: [] }, failure('timeout')));
  });

  test('by the judgement of the worker, which has the error', () => {
    assert.ok(!isRetried(ANY, failure('Error', { retryable: false })));
    assert.ok(isRetried({ ...ANY, retryable: [] }, failure('Error', { retryable: true })));
    assert.ok(isRetried(ANY, failure('PermanentError', { retryable: true })));
  });

  test('[D4, D5, T5] by a fixed list whatever a worker says', () => {
    const rules = [
      document.defaults,
      { ...ANY, retryable: ['timeout'], isRetryFixed: true as const },
    ];
    for (const rule of rules) {
      assert.ok(isRetried(rule, failure('timeout', { retryable: false })));
      assert.ok(!isRetried(rule, failure('Error', { retryable: true })));
    }
  });
});

describe('the lists', () => {
  test('[D4, T5] are fixed where a document fixes them, and open elsewhere', () => {
    assert.equal(document.defaults.isRetryFixed, true);
    assert.equal(convert.policy.isRetryFixed, true);
    assert.deepEqual([task.defaults.retryable, task.defaults.isRetryFixed], [null, undefined]);
  });
});

describe('the hint', () => {
  const hintOf = (rule: RetryRule, error: Failure): string =>
    retryHint('mail', rule, judgeRetry(rule, error));

  test('names the rule, and what to change where that can be changed', () => {
    const listed = { ...ANY, retryable: ['a', 'b'] };
    assert.equal(
      hintOf(listed, failure('Error')),
      'not retried: type "mail" retries only a, b; add "Error" to `retryable`',
    );
    assert.equal(
      hintOf({ ...listed, isRetryFixed: true }, failure('Error')),
      'not retried: type "mail" retries only a, b',
    );
    assert.equal(
      hintOf({ ...ANY, retryable: [] }, failure('Error')),
      'not retried: type "mail" retries only lost workers; add "Error" to `retryable`',
    );
    assert.equal(
      hintOf({ ...ANY, fatal: ['BadAddress'] }, failure('X', { classes: ['X', 'BadAddress'] })),
      'not retried: "BadAddress" is fatal for type "mail"',
    );
    assert.equal(
      hintOf(ANY, failure('PermanentError')),
      'not retried: "PermanentError" is final, unless `retryable` of type "mail" lists it',
    );
    assert.equal(
      hintOf(ANY, failure('Error', { retryable: false })),
      'not retried: the worker judged it so by `fatal` or `retryable` of "mail"',
    );
  });
});
