import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { builtInLifecycles } from '../../lifecycles/built-in.ts';
import { distributed } from '../../lifecycles/distributed.ts';
import type { Job } from '../../core/job.ts';
import { type Lifecycle, opensEpoch, type Place, samePlace } from '../../core/lifecycle.ts';
import { isOwned } from '../../core/phase.ts';
import { jobAtBirth } from '../insert.ts';
import { checkChange } from './guard.ts';

function jobAt(lifecycle: Lifecycle, place: Place, more: Partial<Job> = {}): Job {
  const born = jobAtBirth(
    {
      tenant: 't',
      id: 'j',
      type: 'any',
      queue: 'default',
      lifecycle: lifecycle.name,
      lifecycleVersion: 1,
      policy: 1,
      maxAttempts: 3,
      places: [place],
      priority: 0,
      runAt: null,
      deadlineAt: null,
      input: '{}',
      metadata: null,
      idempotency: null,
      actor: 'api',
    },
    0,
  );
  const lease = isOwned(place.phase) ? { owner: 'w', leaseExpiry: 9 } : {};
  return { ...born, epoch: 5, version: 5, ...lease, ...more };
}

function isLet(lifecycle: Lifecycle, before: Job, after: Job): boolean {
  try {
    checkChange(lifecycle, before, after);
    return true;
  } catch (error) {
    assert.equal((error as { outcome?: string }).outcome, 'refused');
    return false;
  }
}

describe("the memory store's guard", () => {
  for (const lifecycle of builtInLifecycles) {
    test(`[R2, R4] ${lifecycle.name}: of all pairs and versions the listed ones pass`, () => {
      for (const from of lifecycle.places) {
        for (const to of lifecycle.places) {
          for (const epoch of [4, 5, 6, 7]) {
            for (const version of [4, 5, 6, 7]) {
              const before = jobAt(lifecycle, from);
              const after = jobAt(lifecycle, to, { epoch, version });
              const isListed = lifecycle.transitions.some(
                (row) =>
                  samePlace(row.from, from) &&
                  samePlace(row.to, to) &&
                  epoch === (opensEpoch(from, to) ? 6 : 5) &&
                  version === (row.quiet ? 5 : 6),
              );
              const isNoMove = samePlace(from, to) && epoch === 5 && [5, 6].includes(version);
              assert.equal(isLet(lifecycle, before, after), isListed || isNoMove);
            }
          }
        }
      }
    });
  }

  test('[R3] an owner and a lease come and go with the owned phases', () => {
    const [queued, assigned] = distributed.places;
    const before = jobAt(distributed, queued!);
    const claimed = jobAt(distributed, assigned!, { version: 6 });
    assert.ok(isLet(distributed, before, claimed));
    assert.ok(!isLet(distributed, before, { ...claimed, owner: null }));
    assert.ok(!isLet(distributed, before, { ...claimed, leaseExpiry: null }));
    assert.ok(!isLet(distributed, before, { ...before, owner: 'w' }));
  });

  test('a refusal names the job, both pairs and what is wrong', () => {
    const [queued, , running] = distributed.places;
    const [from, to] = [jobAt(distributed, running!), jobAt(distributed, queued!, { version: 6 })];
    assert.throws(() => checkChange(distributed, from, to), {
      name: 'StoreError',
      message:
        'distributed v1, job j: running/executing (epoch 5, version 5) → ' +
        'queued/ready (epoch 5, version 6): the pair must increase',
    });
  });
});
