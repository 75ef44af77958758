import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { run } from '../../scripts/clients/run.ts';
import { startServer } from '../../scripts/clients/server.ts';
import { inRepository } from '../../scripts/run/repository.ts';
import { conforms } from './conformance.ts';

const hasGo = spawnSync('go', ['version']).status === 0;
const missing = hasGo ? false : 'go is not installed';
const cwd = inRepository('clients/go');
const folder = mkdtempSync(join(tmpdir(), 'pawl-go-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** The standard library alone: nothing is fetched, neither modules nor another toolchain. */
const env = { GOFLAGS: '-mod=readonly', GOTOOLCHAIN: 'local', GOPROXY: 'off' };

test("the Go client's own tests pass against a server", { skip: missing }, async () => {
  const server = await startServer();
  const command = ['go', 'test', '-count=1', '-timeout=3m', '-v', './...'];
  const { code, output } = await run(command, { cwd, env: { ...env, PAWL_URL: server.url } });
  await server.stop();
  assert.equal(code, 0, output);
  assert.doesNotMatch(output, /--- SKIP/);
});

conforms({
  label: 'the Go client',
  missing,
  command: async () => {
    const program = join(folder, 'conformance');
    const build = ['go', 'build', '-o', program, './conformance'];
    const { code, output } = await run(build, { cwd, env });
    assert.equal(code, 0, output);
    return [program];
  },
});
