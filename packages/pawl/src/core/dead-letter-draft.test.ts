import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { distributed } from '../lifecycles/distributed.ts';
import { document } from '../lifecycles/document.ts';
import { platform } from '../lifecycles/platform.ts';
import { task } from '../lifecycles/task.ts';
import { factsOf, legal, placeAt, policyOf } from '../../../../test/support/lifecycle-table.ts';
import { decide } from './decide.ts';
import type { DeadLetterDraft, Facts, Request } from './decision.ts';
import { DLQ_REASONS, ERROR_CLASSES, isLoss } from './error-class.ts';
import type { Lifecycle } from './lifecycle.ts';
import type { Policy } from './policy.ts';
import { SeededRandom } from './random.ts';

function draft(facts: Facts, request: Request): DeadLetterDraft | null {
  return legal(decide(facts, request, new SeededRandom(1))).deadLetter;
}

function running(lifecycle: Lifecycle, more: Partial<Facts> = {}): Facts {
  const place = lifecycle.places.find(({ phase, state }) => {
    return phase === 'executing' && state.toLowerCase() === 'running';
  })!;
  return factsOf(lifecycle, { place, ...more });
}

function failing(errorClass: string, stage: string | null = null): Request {
  return { on: 'fail', error: { class: errorClass, message: 'no', stage } };
}

describe('the dead-letter queue', () => {
  test('[T20] gets a task whose retryable error is exhausted, and no other failure', () => {
    const last = running(task, { attempts: 3 });
    assert.equal(draft(last, failing('network_timeout'))!.reason, 'exhausted_retries');
    assert.equal(draft(last, failing('internal_bug')), null);
    assert.equal(draft(running(task), failing('network_timeout')), null);
  });

  test('[T20, T31] gets a task lost for the last time', () => {
    const letter = draft(running(task, { attempts: 3 }), { on: 'lose' })!;
    assert.deepEqual([letter.reason, letter.error.class], ['exhausted_retries', 'worker_lost']);
    assert.equal(draft(running(task, { attempts: 2 }), { on: 'lose' }), null);
  });

  test('[R37] gets a failed distributed job by policy', () => {
    const policy = (dlq: Policy['dlq']): Policy => policyOf(distributed, { dlq });
    const fail = failing('ValidationError');
    assert.equal(draft(running(distributed), fail)!.reason, 'validation_failed');
    assert.equal(draft(running(distributed, { policy: policy('never') }), fail), null);
    assert.equal(draft(running(distributed, { policy: policy('exhausted') }), fail), null);
    const last = { policy: policy('exhausted'), attempts: 5 };
    const letter = draft(running(distributed, last), failing('TransientError'))!;
    assert.equal(letter.reason, 'exhausted_retries');
  });

  test('[P13] always gets the dead, whatever the policy', () => {
    const policy = policyOf(platform, { dlq: 'never' });
    const letter = draft(running(platform, { policy }), failing('unsupported_format'))!;
    assert.equal(letter.reason, 'parse_error');
  });

  test('gets no document job, unless its worker asks for it', () => {
    assert.equal(draft(running(document), failing('invalid_document')), null);
    const asked = { ...failing('invalid_document'), deadLetter: 'parse_error' } as Request;
    assert.equal(draft(running(document), asked)!.reason, 'parse_error');
  });

  test('[R15] takes the reason that was given before any other', () => {
    const fail = { ...failing('TransientError'), deadLetter: 'policy_violation' } as Request;
    const last = running(distributed, { attempts: 5 });
    assert.equal(draft(last, fail)!.reason, 'policy_violation');
    const request = { on: 'deadLetter', reason: 'timeout', message: 'by hand' } as const;
    const letter = draft(last, request)!;
    assert.deepEqual([letter.reason, letter.error.message], ['timeout', 'by hand']);
    assert.equal(letter.error.retryable, false);
  });

  test('[R15] what is put there by hand keeps the words it was given', () => {
    for (const reason of DLQ_REASONS) {
      const request = { on: 'deadLetter', reason, message: 'corrupt' } as const;
      const letter = draft(running(distributed), request)!;
      assert.deepEqual([letter.reason, letter.error.message], [reason, 'corrupt']);
    }
  });

  test('[R15] every known class has one of the eight reasons; exhaustion has its own', () => {
    assert.deepEqual(DLQ_REASONS, [
      'parse_error',
      'validation_failed',
      'dependency_unavailable',
      'timeout',
      'exhausted_retries',
      'policy_violation',
      'infrastructure_failure',
      'compensation_failed',
    ]);
    const policy = policyOf(distributed, { retryable: [] });
    for (const [name, { dlqReason }] of Object.entries(ERROR_CLASSES)) {
      if (isLoss(name)) continue;
      assert.equal(draft(running(distributed, { policy }), failing(name))!.reason, dlqReason);
    }
    const letter = draft(running(distributed, { policy }), failing('nobody_knows'))!;
    assert.equal(letter.reason, 'infrastructure_failure');
  });

  test("[R29] names the error's stage, else the job's, else where the job was", () => {
    const stageOf = (facts: Facts, request: Request): string => draft(facts, request)!.failureStage;
    const fail = failing('ValidationError');
    const staged = running(distributed, { stage: 'output' });
    assert.equal(stageOf(staged, failing('ValidationError', 'commit')), 'commit');
    assert.equal(stageOf(staged, fail), 'output');
    assert.equal(stageOf(running(distributed), fail), 'exec');
    const leased = factsOf(distributed, { place: placeAt(distributed, 'assigned/leased') });
    assert.equal(stageOf(leased, fail), 'input');
    const request = { on: 'deadLetter', reason: 'parse_error', message: '' } as const;
    assert.equal(stageOf(factsOf(distributed), request), 'fetch');
  });

  test('gets nothing of a success or a cancel', () => {
    assert.equal(draft(running(distributed), { on: 'succeed' }), null);
    assert.equal(draft(running(distributed), { on: 'cancel', reason: null }), null);
  });
});
