// How LibreOffice is run: with a program in its place that tells what it was given.
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { type OfficeAnswer, runOffice } from '../src/office/run-office.ts';

const folder = mkdtempSync(join(tmpdir(), 'pawl-office-test-'));
after(() => rmSync(folder, { recursive: true }));

function program(name: string, ...lines: readonly string[]): string {
  const path = join(folder, name);
  writeFileSync(path, lines.join('\n'));
  chmodSync(path, 0o755);
  return path;
}

/** Writes what it was given into the file that it is to make. */
const teller = program(
  'teller',
  '#!/bin/sh',
  'for word in "$@"; do source=$word; done',
  'mkdir made; cat "$HOME/profile/user/registrymodifications.xcu" > "$HOME/made/source.txt"',
  '{ echo; echo "limits $(ulimit -v) $(ulimit -t) $(ulimit -f)"; echo "words $*"',
  '  cat "$source"; echo; env; } >> "$HOME/made/source.txt"',
);
/** Says that it is there, and stays until somebody ends it. */
const stayer = program(
  'stayer',
  `#!${process.execPath} --max-old-space-size=64`,
  `require('node:net').connect(${JSON.stringify(join(folder, 'socket'))});`,
);

const order = { bytes: Buffer.from('the source'), extension: 'odp', to: 'txt:Text' };

function textOf(answer: OfficeAnswer): string {
  assert.ok('made' in answer, JSON.stringify(answer));
  return answer.made.toString();
}

/** The connection of whoever comes next. */
async function listening(): Promise<{ next: Promise<Socket>; close: () => void }> {
  const server = createServer();
  server.listen(join(folder, 'socket'));
  await once(server, 'listening');
  const next = once(server, 'connection').then(([socket]) => {
    (socket as Socket).on('error', () => undefined).resume();
    return socket as Socket;
  });
  return { next, close: () => server.close() };
}

/** Other systems have no bound on memory for it. */
const skip = process.platform === 'linux' ? false : 'these are the bounds of Linux';

describe('a program that makes one file of another', { skip }, () => {
  test('has bounds, a profile of its own, no macros and no links, and leaves nothing behind', async () => {
    const told = textOf(await runOffice(teller, order));
    assert.match(told, /^limits 4194304 60 1048576$/m);
    assert.match(told, /the source/);
    for (const name of ['DisableMacrosExecution', 'BlockUntrustedRefererLinks']) {
      assert.match(told, new RegExp(`oor:name="${name}"[^>]*><value>true`));
    }
    const names = [...told.matchAll(/^(\w+)=/gm)].map(([, name]) => name!);
    const usual = ['HOME', 'LANG', 'PATH', 'PWD', 'OLDPWD', 'SHLVL', 'TMPDIR', '_'];
    assert.deepEqual(
      names.filter((name) => !usual.includes(name)),
      [],
    );
    const profileOf = (text: string): string => /UserInstallation=file:\/\/(\S+)/.exec(text)![1]!;
    const again = textOf(await runOffice(teller, order));
    assert.notEqual(profileOf(again), profileOf(told));
    assert.deepEqual([profileOf(told), profileOf(again)].map(existsSync), [false, false]);
  });

  test('ends with the job that asked for it', async () => {
    const { next, close } = await listening();
    const controller = new AbortController();
    const asked = runOffice(stayer, { ...order, signal: controller.signal });
    const gone = once(await next, 'close');
    controller.abort(new Error('cancelled'));
    await assert.rejects(asked, /cancelled/);
    await gone;
    close();
  });

  test('ends with the process that started it, however that ends', async () => {
    const { next, close } = await listening();
    const wish = "{ bytes: Buffer.from('x'), extension: 'odp', to: 'txt:Text' }";
    const starter = program(
      'starter.mjs',
      `import { runOffice } from '${import.meta.resolve('../src/office/run-office.ts')}';`,
      `await runOffice(process.argv[2], ${wish});`,
    );
    const parent = fork(starter, [stayer], { stdio: 'ignore' });
    const gone = once(await next, 'close');
    parent.kill('SIGKILL');
    await gone;
    close();
  });
});
