// Commands in the documents are understood: by the command line, the API, npm, or the file system.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { Command } from 'commander';
import { readOpenApi } from '../../scripts/reference/http.ts';
import { inRepository } from '../../scripts/run/repository.ts';
import { buildProgram } from '../../src/cli/program.ts';
import { allBlocks } from './blocks.ts';
import { commandsIn } from './shell.ts';

const native = await readOpenApi();
const ogc = await readOpenApi('/ogc/api');
const paths = { ...ogc.paths, ...native.paths };
const { scripts } = JSON.parse(readFileSync(inRepository('package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};

/** Takes every word as a user would have it taken, and does nothing. */
function quiet(command: Command): Command {
  for (const one of command.commands) quiet(one);
  return command
    .exitOverride()
    .configureOutput({ writeErr: () => undefined, writeOut: () => undefined })
    .action(() => undefined);
}

function checkPawl(words: readonly string[]): void {
  const program = buildProgram('1');
  for (const one of program.commands) quiet(one);
  program.exitOverride().configureOutput({ writeErr: () => undefined });
  program.parse([...words], { from: 'user' });
}

/** The path and the method must be in the OpenAPI document. */
function checkCurl(words: readonly string[]): void {
  const url = words.find((word) => /^(?:https?:\/\/|\$api)/.test(word)) ?? '';
  const path = url.replace(/^(?:https?:\/\/[^/]+|\$api)/, '').replace(/\?.*$/, '');
  const asked = words.indexOf('-X');
  const method = (asked < 0 ? 'GET' : words[asked + 1]!).toLowerCase();
  const found = Object.entries(paths).some(
    ([pattern, methods]) =>
      method in methods && new RegExp(`^${pattern.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path),
  );
  assert.ok(found, `the API has no ${method.toUpperCase()} ${path}`);
}

const NPM_OWN: ReadonlySet<string> = new Set(['install', 'init', 'pack', 'pkg', 'ci']);

function checkNpm([verb = '', name = '']: readonly string[]): void {
  if (NPM_OWN.has(verb)) return;
  const script = verb === 'run' ? name : verb;
  assert.ok(script in scripts, `package.json has no script ${script}`);
}

function checkNode(words: readonly string[]): void {
  const file = words.find((word) => /\.(?:ts|mjs|py)$/.test(word)) ?? '';
  if (file.includes('/')) assert.ok(existsSync(inRepository(file)), `there is no ${file}`);
}

const CHECKS: Readonly<Record<string, (words: readonly string[]) => void>> = {
  pawl: checkPawl,
  'bin/pawl': checkPawl,
  npx: ([name, ...rest]) => (name === 'pawl' ? checkPawl(rest) : undefined),
  curl: checkCurl,
  npm: checkNpm,
  node: checkNode,
  python3: checkNode,
};

/** Other people's programs, which are not tried here. */
const OTHERS: ReadonlySet<string> = new Set(
  `cd cp rm mkdir pkill docker kubectl pg_basebackup pg_dump pg_restore pg_upgrade psql
   vacuumdb`.split(/\s+/),
);

for (const { path, line, text, language } of allBlocks()) {
  if (language !== 'sh') continue;
  test(`the commands in ${path}, line ${line}, are understood`, () => {
    for (const [name = '', ...rest] of commandsIn(text)) {
      const check = CHECKS[name];
      assert.ok(check !== undefined || OTHERS.has(name), `what is ${name}?`);
      check?.(rest);
    }
  });
}

test('a command that is not understood is found', () => {
  assert.throws(() => checkPawl(['jobs', 'whyy', '1']));
  assert.throws(() => checkPawl(['enqueue', 'greet', '--inptu', '{}']));
  assert.throws(() => checkCurl(['http://127.0.0.1:8080/v1/job']));
  assert.throws(() => checkNpm(['run', 'nothing']));
  assert.deepEqual(commandsIn(`A=1 pawl x --i='{"a": 1}' "b c" # no\n  | head`), [
    ['pawl', 'x', '--i={"a": 1}', 'b c'],
    ['head'],
  ]);
});
