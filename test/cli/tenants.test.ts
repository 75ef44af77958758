// Cells and tenants from the command line, against a platform on two databases.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Fixture, openFixture } from './pawl-command.ts';

let fixture: Fixture;
before(async () => {
  fixture = await openFixture(['main', 'berlin']);
  await fixture.client.putType('by-hand', { lifecycle: 'task' });
});
after(() => fixture.close());

async function post(path: string, body: object): Promise<unknown> {
  return (await fixture.client.connection.call({ method: 'POST', path, body })).body;
}

test('a tenant moves with a job in flight, whose worker ends it in the new database', async () => {
  const { id } = await fixture.client.enqueue({ type: 'by-hand', input: {} });
  const claimed = (await post('/v1/claims', { workerId: 'w', types: ['by-hand'], max: 1 })) as {
    jobs: readonly { readonly token: string }[];
  };
  const { token } = claimed.jobs[0]!;
  const moved = await fixture.pawl(['tenants', 'move', 'default', 'berlin']);
  assert.equal(moved.code, 0, moved.stderr);
  assert.match(moved.stderr, /default lives in berlin\.\n/);
  assert.match(moved.stderr, /Moved while its writes waited: 1 unfinished job, /);
  assert.match(moved.stderr, /Its writes waited for \d+ ms\./);
  const { stdout } = await fixture.pawl(['tenants', 'ls', '--cell', 'berlin']);
  assert.match(stdout, /default +berlin/);
  const owner = { workerId: 'w', epoch: 1, token };
  await post(`/v1/jobs/${id}/complete`, { ...owner, result: 'done' });
  const job = await fixture.client.job(id);
  assert.deepEqual([job.state, job.epoch, job.attempts], ['succeeded', 1, 1]);
});

test('a move that cannot be is refused with what to do', async () => {
  const unknown = await fixture.pawl(['tenants', 'move', 'default', 'rome']);
  assert.notEqual(unknown.code, 0);
  assert.match(unknown.stderr, /no cell "rome": choose one of main, berlin/);
  const nobody = await fixture.pawl(['tenants', 'move', 'nobody', 'berlin']);
  assert.match(nobody.stderr, /lives in no cell yet: place it, by pawl tenants place nobody/);
  const placed = await fixture.pawl(['tenants', 'place', 'acme', 'main']);
  assert.match(placed.stderr, /acme lives in main/);
  const again = await fixture.pawl(['tenants', 'place', 'acme', 'berlin']);
  assert.match(again.stderr, /lives in cell "main" already: move it instead/);
  const { stdout } = await fixture.pawl(['cells']);
  assert.match(stdout, /main +ok/);
});
