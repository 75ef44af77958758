// How the command line starts: a command loads what it needs and no more.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { childEnvironment } from '../../scripts/run/child-environment.ts';
import { cliPath } from './pawl-command.ts';

/** Writes the packages of others that were loaded to standard error. */
const LISTING = `data:text/javascript,
  import { registerHooks } from 'node:module';
  const loaded = new Set();
  registerHooks({ load(url, context, next) {
    const name = /node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url);
    if (name !== null) loaded.add(name[1]);
    return next(url, context);
  } });
  process.on('exit', () => process.stderr.write(JSON.stringify([...loaded])));`;

test('commands of every package are known before any large library is loaded', async () => {
  const args = ['--import', LISTING, cliPath, '--help'];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, {
    env: childEnvironment,
  });
  for (const word of ['start', 'bench', 'move'])
    assert.match(stdout, new RegExp(`^ +${word} `, 'm'));
  assert.deepEqual(JSON.parse(stderr), ['commander']);
});
