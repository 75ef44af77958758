import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { BadAddress, MailServerDown, THROWN } from '../../../../test/support/hostile/errors.ts';
import { defineJob } from './define-job.ts';
import type { ErrorMatcher } from './error-matcher.ts';
import { failedBy } from './execute.ts';
import { fail, PermanentError, TransientError, ValidationError } from './failure.ts';

class WorseAddress extends BadAddress {}

interface Lists {
  readonly retryable?: readonly ErrorMatcher[] | null;
  readonly fatal?: readonly ErrorMatcher[];
}

function isRetried(lists: Lists, thrown: unknown): boolean | undefined {
  const job = defineJob('job', { ...lists, run: () => null });
  return failedBy(job, thrown, null).error.retryable;
}

describe('the worker judges an error', () => {
  test('by default as retryable, unless it is final', () => {
    assert.ok(isRetried({}, new Error('x')));
    assert.ok(isRetried({}, fail('network_timeout', 'x')));
    assert.ok(isRetried({}, new TransientError('x')));
    assert.ok(!isRetried({}, new PermanentError('x')));
    assert.ok(!isRetried({}, new ValidationError('x')));
    assert.ok(!isRetried({}, fail('invalid_document', 'x')));
  });

  test('by names, constructors and functions under `fatal`', () => {
    for (const fatal of [
      'BadAddress',
      BadAddress,
      (error: unknown) => error instanceof BadAddress,
    ]) {
      assert.ok(!isRetried({ fatal: [fatal] }, new BadAddress('x')));
      assert.ok(!isRetried({ fatal: [fatal] }, new WorseAddress('x')), 'a subclass matches');
      assert.ok(isRetried({ fatal: [fatal] }, new Error('x')));
    }
  });

  test('by names, constructors and functions under `retryable`, and by nothing else', () => {
    const isBusy = (error: unknown): boolean => (error as { status?: number }).status === 503;
    for (const retryable of ['TransientError', TransientError]) {
      assert.ok(isRetried({ retryable: [retryable] }, new MailServerDown('x')));
      assert.ok(!isRetried({ retryable: [retryable] }, new Error('x')));
    }
    assert.ok(isRetried({ retryable: [isBusy] }, Object.assign(new Error('x'), { status: 503 })));
    assert.ok(!isRetried({ retryable: [isBusy] }, new Error('x')));
    assert.ok(!isRetried({ retryable: [] }, new TransientError('x')));
  });

  test('as final by the more derived class, also where a list has Error itself', () => {
    assert.ok(isRetried({ retryable: [Error] }, new BadAddress('x')));
    assert.ok(!isRetried({ retryable: [Error] }, new PermanentError('x')));
    assert.ok(isRetried({ retryable: [PermanentError] }, new PermanentError('x')));
  });

  test('with fatal before retryable', () => {
    const lists = { retryable: [BadAddress], fatal: [WorseAddress] };
    assert.ok(isRetried(lists, new BadAddress('x')));
    assert.ok(!isRetried(lists, new WorseAddress('x')));
  });

  test('whatever was thrown, and whatever its own functions do', () => {
    const throws = (): boolean => {
      throw new Error('no idea');
    };
    const lazy = ((): unknown => 'truthy') as () => boolean;
    for (const [name, make] of Object.entries(THROWN)) {
      if (name === 'a rejected fetch') continue;
      const verdict = isRetried({ fatal: [throws, lazy, BadAddress, 'Nothing'] }, make());
      assert.equal(typeof verdict, 'boolean', name);
    }
  });
});
