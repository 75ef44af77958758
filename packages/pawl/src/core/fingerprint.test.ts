import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fingerprintOf } from './fingerprint.ts';
import type { JobError } from './job.ts';

function error(message: string, more: Partial<JobError> = {}): JobError {
  return { class: 'timeout', message, code: null, stage: null, retryable: true, ...more };
}

const BASE = fingerprintOf('mail', error('page 3 of "a.pdf" timed out'));

test('the same fault has one fingerprint: numbers, quotes and ids are blotted out', () => {
  assert.match(BASE, /^[0-9a-f]{16}$/);
  assert.equal(fingerprintOf('mail', error('page 17 of "other.pdf" timed out')), BASE);
  const one = 'job 019b0000-0000-7000-8000-00000000000a is gone';
  const two = 'job 019c1111-2222-7333-8444-5555aaaabbbb is gone';
  assert.equal(fingerprintOf('mail', error(one)), fingerprintOf('mail', error(two)));
});

test('the stage and the details of one fault may differ', () => {
  const other = error('page 3 of "a.pdf" timed out', { stage: 'send', details: [1] });
  assert.equal(fingerprintOf('mail', other), BASE);
});

test('another type, class, code or wording is another fault', () => {
  const message = 'page 3 of "a.pdf" timed out';
  const others = [
    fingerprintOf('report', error(message)),
    fingerprintOf('mail', error(message, { class: 'network_timeout' })),
    fingerprintOf('mail', error(message, { code: 'E42' })),
    fingerprintOf('mail', error('page 3 of "a.pdf" broke')),
  ];
  assert.equal(new Set([BASE, ...others]).size, 5);
});
