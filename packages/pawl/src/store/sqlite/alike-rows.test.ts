import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { ManualClock } from '../../core/clock.ts';
import { builtInLifecycles as lifecycles } from '../../lifecycles/built-in.ts';
import { Scene } from '../../../test/store/suite/scene.ts';
import type { NewJob } from '../insert.ts';
import { openSqliteStore } from './store.ts';

const folder = mkdtempSync(join(tmpdir(), 'pawl-alike-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** What a job in the midst of many others may have of its own. */
const OWN: readonly Partial<NewJob>[] = [
  {},
  { priority: 3 },
  { correlationId: 'order-17' },
  { metadata: '{"page":1}' },
  { requestedBy: 'user:ann' },
  { parentKind: 'replay', parentJobId: '00000000-0000-7000-8000-00000000abcd' },
  { deadlineAt: 10_000_000_000_000 },
  { stages: [{ name: 'read', result: '{"pages":3}' }] },
];

for (const mode of ['inline', 'thread'] as const) {
  describe(`jobs that are alike, ${mode}`, () => {
    for (const own of OWN) {
      const what = Object.keys(own).join(', ') || 'nothing';
      test(`each is claimed once and as it is stored, where some have ${what} of their own`, async () => {
        const clock = new ManualClock();
        const path = join(folder, `${mode}-${what}.sqlite`);
        const store = await openSqliteStore({ path, lifecycles, clock, mode });
        try {
          const scene = new Scene({ store, clock, lifecycles });
          const jobs: NewJob[] = [];
          for (let n = 0; n < 60; n++) {
            const more = n % 20 === 13 ? own : {};
            jobs.push({ ...(await scene.newJob({ input: `{"n":${n}}` })), ...more });
          }
          await store.insert(jobs);
          clock.advance(5);
          const request = { owner: 'worker-1', types: [jobs[0]!.type], tenants: null };
          const ask = { ...request, queues: null, max: 50, requestId: 'first' };
          const first = await store.claim(ask);
          const again = await store.claim(ask);
          const rest = await store.claim({ ...ask, requestId: 'second' });
          assert.equal(first.length, 50);
          assert.equal(new Set([...first, ...rest].map(({ job }) => job.id)).size, 60);
          assert.deepEqual(byKey(again), byKey(first));
          const claimed = [...first, ...rest];
          assert.deepEqual(
            await store.read(claimed.map(({ job }) => job)),
            claimed.map(({ job }) => job),
          );
          for (const { job, stages } of claimed) {
            const born = jobs.find(({ id }) => id === job.id)!;
            assert.equal(job.input, born.input);
            assert.equal(stages.length, born.stages?.length ?? 0);
          }
        } finally {
          await store.close();
        }
      });
    }
  });
}

function byKey<Claimed extends { readonly key?: string | undefined }>(
  claimed: readonly Claimed[],
): Claimed[] {
  return claimed.toSorted((one, other) => Number(one.key) - Number(other.key));
}
