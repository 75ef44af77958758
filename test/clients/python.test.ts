import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { run } from '../../scripts/clients/run.ts';
import { startServer } from '../../scripts/clients/server.ts';
import { conforms } from './conformance.ts';

const hasPython = spawnSync('python3', ['--version']).status === 0;
const missing = hasPython ? false : 'python3 is not installed';

test("the Python client's own tests pass against a server", { skip: missing }, async () => {
  const server = await startServer();
  const command = ['python3', '-m', 'unittest', 'discover', '-s', 'clients/python/tests'];
  const { code, output } = await run(command, { env: { PAWL_URL: server.url } });
  await server.stop();
  assert.equal(code, 0, output);
  assert.match(output, /Ran \d{2} tests/);
});

for (const [label, file] of [
  ['the Python client', 'conformance.py'],
  ['the Python client on asyncio', 'conformance_asyncio.py'],
] as const) {
  conforms({ label, missing, command: async () => ['python3', `clients/python/${file}`] });
}
