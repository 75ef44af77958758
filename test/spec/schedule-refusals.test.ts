// What every slot of a schedule would be refused for is refused when it is put, at every door.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { defineJob, openPawl, type Pawl } from 'pawl';
import { partsOf } from 'pawl/internal/pawl/parts';
import { openStation } from './http-station.ts';

const report = defineJob('report', {
  input: z.object({ year: z.number() }),
  run: ({ input }) => input.year,
});
const tidy = defineJob('tidy', { run: () => null });
const CALLER = { tenant: 'default', principal: null };
const rule = { kind: 'interval', everyMs: 60_000 } as const;

async function refusals(pawl: Pawl): Promise<void> {
  const daily = { cron: '@daily' };
  const nobody = defineJob('nobody-has-it', { run: () => null });
  await assert.rejects(pawl.schedule('x', daily, nobody), {
    code: 'UNKNOWN_TYPE',
    message: 'the type "nobody-has-it" is not registered',
  });
  const wrong = { year: 'soon' } as unknown as { year: number };
  await assert.rejects(pawl.schedule('x', daily, report, wrong), /\/input\/year/);
  // @ts-expect-error a schedule of a job without input takes none
  await assert.rejects(pawl.schedule('x', daily, tidy, { year: 1 }), /take no input/);
  // @ts-expect-error and one of a job with input needs it
  await assert.rejects(pawl.schedule('x', daily, report), /\/input/);
  await assert.rejects(pawl.schedule('x', { cron: 'every day' }, tidy), /\/rule\/expression/);
  const never = { every: 'soon' as '1s' };
  await assert.rejects(pawl.schedule('x', never, tidy), /\/rule\/every: must be milliseconds/);
  const both = { cron: '@daily', every: '1h' } as { cron: string };
  await assert.rejects(pawl.schedule('x', both, tidy), /must have one of `cron`, `every` and `at`/);
}

test('[T39] the library refuses an unknown type, a wrong input and a rule that is none', async () => {
  await using pawl = await openPawl({ database: ':memory:', jobs: [report, tidy] });
  await refusals(pawl);
  assert.deepEqual((await pawl.schedules.list()).items, []);
});

test('[T39] the engine refuses what the process knows to be wrong', async () => {
  await using pawl = await openPawl({ database: ':memory:', jobs: [report, tidy] });
  const { context, engine } = partsOf(pawl);
  context.inputs.learn([report]);
  const put = (job: { type: string; input?: unknown }) =>
    engine.schedules.put({ name: 'x', caller: CALLER }, { rule, job });
  const wrong = { type: 'report', input: { year: 'x' } };
  await assert.rejects(put(wrong), /\/job\/input\/year/);
  await assert.rejects(put({ type: 'nothing' }), { code: 'UNKNOWN_TYPE' });
  await assert.rejects(put({ type: 'tidy', input: {} }), /\/job\/input: must be left out/);
  assert.equal((await put({ type: 'report', input: { year: 1 } })).kind, 'created');
});

test('[T39] over HTTP both verbs refuse it, with the same codes', async () => {
  const { api } = await openStation();
  const job = { type: 'nobody-has-it' };
  const put = await api.put('/v1/schedules/x', { rule, job });
  const post = await api.post('/v1/schedules', { name: 'x', rule, job });
  for (const { status, body } of [put, post]) {
    assert.deepEqual([status, body.code], [404, 'UNKNOWN_TYPE']);
  }
  await api.put('/v1/types/tidy', { lifecycle: 'task', inputSchema: false });
  const wrong = await api.put('/v1/schedules/x', { rule, job: { type: 'tidy', input: { a: 1 } } });
  assert.deepEqual([wrong.status, wrong.body.errors[0].pointer], [400, '/job/input']);
});
