// What failed while nobody looked is undone when somebody starts again.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type InnerPawl, openInner } from '../support/inner-pawl.ts';
import { eventually } from '../support/eventually.ts';
import { onceLogged } from '../support/once-logged.ts';
import { bookingJob } from './booking-job.ts';

/** The id of a job that failed in a process which was killed before anything was undone. */
async function failAndDie(path: string, callLog: string): Promise<string> {
  const program = fileURLToPath(new URL('booking-process.ts', import.meta.url));
  const child = spawn(process.execPath, [program, path, callLog], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [id] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  child.kill('SIGKILL');
  await once(child, 'exit');
  return id;
}

async function reports(pawl: InnerPawl, id: string): Promise<number> {
  const query = { tenant: 'default', id, after: null, limit: 100, notes: false };
  const { events } = await pawl.engine.events(query);
  return events.filter(({ type }) => type === 'job_compensated').length;
}

test('[R33] a failure while nobody ran is compensated after a restart, and once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-booking-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const [database, callLog] = [join(folder, 'pawl.db'), join(folder, 'diary')];
  const id = await failAndDie(database, callLog);
  assert.equal(readFileSync(callLog, 'utf8'), 'booked 7\n');

  const first = await openInner({ database, jobs: [bookingJob(callLog)] });
  assert.equal((await first.engine.job({ tenant: 'default', id })).state, 'failed');
  first.work();
  const compensated = { tenant: 'default', what: 'the job is compensated' };
  await onceLogged(first.engine, compensated, async () => (await reports(first, id)) === 1);
  await first.close();

  const second = await openInner({ database, jobs: [bookingJob(callLog)] });
  second.work();
  await eventually('the compensator is up to date', async () => {
    const [follower] = await second.engine.followers();
    return follower!.owner !== null && follower!.lag!.events === 0;
  });
  assert.equal(await reports(second, id), 1);
  assert.equal(readFileSync(callLog, 'utf8'), 'booked 7\ngave back 7\n');
  await second.close();
});
