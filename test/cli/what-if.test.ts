import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { WhatIfJson } from 'pawl/internal/contract/what-if';
import { runPawl, openFixture, type Fixture } from './pawl-command.ts';

/** A job that a worker of its own takes and ends. */
async function worked({ client }: Fixture): Promise<void> {
  const { id } = await client.enqueue({ type: 'by-hand', input: {} });
  const post = (path: string, body: object): Promise<unknown> =>
    client.connection.call({ method: 'POST', path, body });
  await post('/v1/claims', { workerId: 'w', types: ['by-hand'], max: 1 });
  await post(`/v1/jobs/${id}/complete`, { workerId: 'w', epoch: 1, result: null });
}

async function openOwn(): Promise<Fixture> {
  const opened = await openFixture();
  await opened.client.putType('by-hand', { lifecycle: 'task' });
  return opened;
}

let fixture: Fixture;
before(async () => {
  fixture = await openOwn();
  for (let number = 0; number < 3; number++) await worked(fixture);
});
after(() => fixture.close());

test('what-if shows recorded time beside a replay and what changes would have done', async () => {
  const { stdout, stderr, code } = await fixture.pawl(['what-if', '--workers', '2x']);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /3 jobs, 1 worker with \d+ slots?; what-if: 2 workers with \d+ slots/);
  assert.match(stdout, /REALLY +REPLAYED +WHAT-IF\n/);
  assert.match(stdout, /jobs ended +3 +3 +3\n/);
  assert.match(stderr, /off the real p95 of the wait|No job waited/);
  assert.match(stderr, /Attempts take as long as they really took/);
  const alone = await fixture.pawl(['what-if', '--last', '30m']);
  assert.match(alone.stdout, /REALLY +REPLAYED\n/);
});

test('every change of a what-if is an option, and a wrong one is named', async () => {
  const words = ['--load', '2x', '--slots', '+1', '--concurrency', 'default=1'];
  const more = [
    '--type-concurrency',
    'by-hand=none',
    '--limit',
    'by-hand=runningPerKey:1/requestedBy',
  ];
  const rest = ['--rate', 'by-hand=perOrganisation:5/1s', '--priority', 'by-hand=high', '--json'];
  const run = await fixture.pawl(['what-if', ...words, ...more, ...rest]);
  assert.equal(run.code, 0, run.stderr);
  const report = JSON.parse(run.stdout) as WhatIfJson;
  assert.equal(report.jobs, 3);
  assert.notEqual(report.total.whatIf, null);
  const wrong = async (...given: string[]): Promise<string> => {
    const { code, stderr } = await fixture.pawl(['what-if', ...given]);
    assert.ok(code === 2 || code === 1, `${code}`);
    return stderr;
  };
  assert.match(await wrong('--load', 'much'), /--load takes a factor such as 1.5x/);
  assert.match(await wrong('--limit', 'by-hand=2/colour'), /of the keys documentId/);
  assert.match(await wrong('--rate', 'by-hand=10'), /--rate takes type=perUser:10\/1m/);
  assert.match(await wrong('--priority', 'by-hand'), /write it as name=value/);
  assert.match(await wrong('--workers', 'two'), /must be a number such as "8"/);
  assert.match(
    await wrong('--priority', 'ghost=high'),
    /no job of the type "ghost"; it has by-hand/,
  );
  assert.match(await wrong('--tenant', 'acme'), /--tenant is for --direct/);
});

test('what-if reads a database directly, without a server', async () => {
  const own = await openOwn();
  await worked(own);
  await own.platform.stop();
  const env = { PAWL_DATA: `${own.folder}/data` };
  const words = ['what-if', '--direct', '--json'];
  const { code, stdout, stderr } = await runPawl(words, { url: own.platform.url, env });
  await own.close();
  assert.equal(code, 0, stderr);
  const report = JSON.parse(stdout) as WhatIfJson;
  assert.deepEqual([report.jobs, report.total.real.ended, report.total.whatIf], [1, 1, null]);
});
