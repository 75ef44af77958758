import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dlqReasonOf, ERROR_CLASSES, isDlqReason, isFinalClass } from './error-class.ts';

test('[D4, T5, R30] the classes that the documents retry', () => {
  const retried = Object.keys(ERROR_CLASSES).filter((name) => !isFinalClass(name));
  assert.deepEqual(retried.toSorted(), [
    'LeaseConflictError',
    'TransientError',
    'ai_rate_limit',
    'dependency_unavailable',
    'handler_crashed',
    'model_overloaded',
    'network_timeout',
    'queue_overload',
    'timeout',
    'transient_storage',
    'transient_system_error',
    'worker_lost',
  ]);
});

test('[D5, T6, R30] the classes that the documents never retry', () => {
  const finals = Object.keys(ERROR_CLASSES).filter(isFinalClass);
  assert.deepEqual(finals.toSorted(), [
    'PermanentError',
    'ValidationError',
    'configuration_error',
    'corruption_detected',
    'deadline_exceeded',
    'internal_bug',
    'invalid_document',
    'job_validation',
    'permanent_timeout',
    'quota_exceeded',
    'resource_limit_exceeded',
    'unsupported_format',
    'validation_error',
  ]);
});

test('[R15] every class has a reason; one that nobody declared counts as infrastructure', () => {
  for (const name of Object.keys(ERROR_CLASSES)) assert.ok(isDlqReason(dlqReasonOf([name])));
  assert.equal(dlqReasonOf(['made_up']), 'infrastructure_failure');
  assert.ok(!isFinalClass('made_up'));
  assert.equal(dlqReasonOf(['BadAddress', 'ValidationError', 'Error']), 'validation_failed');
});

test('words that every object knows are no error classes', () => {
  for (const word of ['toString', 'constructor', '__proto__', 'hasOwnProperty']) {
    assert.ok(!isFinalClass(word), word);
    assert.equal(dlqReasonOf([word]), 'infrastructure_failure', word);
  }
});
