import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, describe, test } from 'node:test';
import { inRepository } from './run/repository.ts';

const folder = mkdtempSync(join(tmpdir(), 'pawl-bootstrap-'));
after(() => rmSync(folder, { recursive: true }));

const program = join(folder, 'program.ts');
writeFileSync(
  program,
  `const args: string[] = process.argv.slice(2);
   if (args[0] === 'wait') process.stdin.resume();
   process.on('SIGTERM', () => process.exit(5));
   console.log(JSON.stringify({ args }));
   if (args[0] === 'exit') process.exit(7);`,
);

// Old Nodes cannot replace their process; taking the function away shows the other way.
const ways: [string, string[]][] = [
  ['replacing its process', []],
  ['as a parent', ['--import', 'data:text/javascript,delete process.execve']],
];

for (const [way, flags] of ways) {
  describe(`the bootstrap, ${way}`, () => {
    const command = [...flags, inRepository('scripts/bootstrap.mjs'), program];

    test('passes arguments and the exit code, and prints nothing itself', () => {
      const args = [...command, 'exit', 'two words', '--flag'];
      const result = spawnSync(process.execPath, args, { encoding: 'utf8', stdio: 'pipe' });
      assert.equal(result.stderr, '');
      assert.deepEqual(JSON.parse(result.stdout).args, ['exit', 'two words', '--flag']);
      assert.equal(result.status, 7);
    });

    test('passes a signal on', async () => {
      const child = spawn(process.execPath, [...command, 'wait'], { stdio: 'pipe' });
      await once(createInterface(child.stdout), 'line');
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      assert.deepEqual(await ended, [5, null]);
    });
  });
}

test('without a program the bootstrap explains itself', () => {
  const args = [inRepository('scripts/bootstrap.mjs')];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  assert.equal(status, 2);
  assert.match(stderr, /usage:/);
});
