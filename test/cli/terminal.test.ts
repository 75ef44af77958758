import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { after, before, test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { cliPath, openFixture, type Fixture } from './pawl-command.ts';

const hasTmux = spawnSync('tmux', ['-V']).status === 0;
const options = hasTmux ? {} : { skip: 'there is no tmux here' };

let fixture: Fixture;
before(async () => {
  if (hasTmux) fixture = await openFixture();
});
after(async () => {
  if (hasTmux) await fixture.close();
});

/** A terminal of its own, so that nothing is shared with one that the user has open. */
function terminal(name: string): (...words: string[]) => string {
  return (...words) =>
    execFileSync('tmux', ['-L', `pawl-${process.pid}-${name}`, '-f', '/dev/null', ...words], {
      encoding: 'utf8',
    });
}

test('in a real terminal a bar moves while a job is being worked on', options, async () => {
  const { client, platform } = fixture;
  await client.putType('film', { lifecycle: 'task' });
  const { id } = await client.enqueue({ type: 'film' });
  const tmux = terminal('bar');
  const watch = `jobs watch ${id} --url ${platform.url}`;
  const command = `"${process.execPath}" "${cliPath}" ${watch}; read x`;
  tmux('new-session', '-d', '-x', '100', '-y', '24', command);
  const screen = (): string => tmux('capture-pane', '-p');
  const shows = (what: RegExp): Promise<string> =>
    eventually(`${String(what)} on the screen`, () => (what.test(screen()) ? screen() : null));
  try {
    await shows(/0 % {2}pending/);
    const claim = { workerId: 'me', types: ['film'], max: 1 };
    const { body } = await client.connection.call({
      method: 'POST',
      path: '/v1/claims',
      body: claim,
    });
    const [{ epoch }] = (body as { jobs: [{ epoch: number }] }).jobs;
    const tell = (verb: string, more: object): Promise<unknown> =>
      client.connection.call({
        method: 'POST',
        path: `/v1/jobs/${id}/${verb}`,
        body: { workerId: 'me', epoch, ...more },
      });
    await tell('heartbeat', { progress: 40, message: 'scene 4 of 10' });
    await shows(/█{12}░{18} +40 % {2}running {2}scene 4 of 10/);
    await tell('complete', { result: 1 });
    const last = await shows(/100 % {2}succeeded/);
    assert.equal(last.match(/░|█{5}/g)?.length, 6, 'one bar, drawn over and over in its place');
  } finally {
    tmux('kill-server');
  }
});
