// A platform that is stopped and started again on the folder that it had, as a deployment does.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readConfiguration } from '@pawl/server/internal/app/configuration';
import { type Platform, startPlatform } from '@pawl/server/internal/app/platform';
import { holdingOf } from '../support/world.ts';

const TENANT = 'default';
const TYPE = { tenant: TENANT, type: 'mail' };

/** One job of each kind of standing: waiting its turn, in flight, waiting for a retry, ended. */
async function leaveJobs({ engine }: Platform): Promise<void> {
  await engine.putType(TYPE, { lifecycle: 'platform' });
  const requests = [1, 2, 3, 4].map((input) => ({ type: 'mail', input }));
  await engine.enqueue(requests, { caller: { tenant: TENANT, principal: null } });
  const claims = await engine.claim({ owner: 'w1', types: ['mail'], max: 3 });
  const [held, failed, ended] = claims.map((claim) => holdingOf(claim));
  await engine.renew([{ ...held!, checkpoint: '{"page":7}', progress: 40 }]);
  const error = { class: 'timeout', message: 'too slow' };
  await engine.settle([{ ...failed!, ending: { kind: 'fail', error } }]);
  await engine.settle([{ ...ended!, ending: { kind: 'succeed', result: '"sent"' } }]);
}

async function seenOf({ engine }: Platform): Promise<object> {
  const { jobs } = await engine.jobs({ tenant: TENANT, type: 'mail', limit: 10 });
  const histories = await Promise.all(
    jobs.map(({ id }) =>
      engine.events({ tenant: TENANT, id, after: null, limit: 100, notes: true }),
    ),
  );
  return { jobs, events: histories.map(({ events }) => events) };
}

test('[P1] every job stands after a restart where it stood before, with its history', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-restart-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  // Without a sweeper nothing becomes due between the two looks.
  const env = { PORT: '0', PAWL_DATA: folder, PAWL_ROLES: 'api' };
  const start = () => startPlatform(readConfiguration(env), { warn: () => undefined });
  const first = await start();
  await leaveJobs(first);
  const before = (await seenOf(first)) as { jobs: readonly { state: string }[] };
  await first.stop();
  assert.deepEqual(before.jobs.map(({ state }) => state).toSorted(), [
    'QUEUED',
    'RETRY',
    'RUNNING',
    'SUCCESS',
  ]);
  const second = await start();
  context.after(() => second.stop());
  assert.deepEqual(await seenOf(second), before);
});
