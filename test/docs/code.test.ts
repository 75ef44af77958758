// TypeScript in the documents compiles against the sources, and what is marked `run` runs.
//   ```ts            compiled; `// jobs.ts` as its first line gives it a name for its neighbours
//   ```ts run        and run, as a program of its own, which must end well
//   ```ts postgres   with `run`: DATABASE_URL names an empty database
//   ```ts theirs     of another library: only parsed here, compiled and run by theirs.test.ts
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { runTool } from '../../scripts/run/command.ts';
import { sourcePaths } from '../../scripts/run/own-sources.ts';
import { inRepository } from '../../scripts/run/repository.ts';
import { freshDatabase } from '../support/postgres/fresh-database.ts';
import { postgresServers } from '../support/postgres/servers.ts';
import { allBlocks, type Block, fileNameOf } from './blocks.ts';
import { childEnvironment } from '../../scripts/run/child-environment.ts';
import { referenceProgram } from './reference-lines.ts';
import { snippets } from './snippets.ts';

const run = promisify(execFile);
const hooks = inRepository('scripts/run/own-sources.ts');
const blocks = allBlocks().filter(({ language }) => language === 'ts');
const own = blocks.filter(({ marks }) => !marks.includes('theirs'));

// Inside the repository, so that the compiler finds its packages.
const folder = inRepository('.cache/docs', basename(mkdtempSync(join(tmpdir(), 'pawl-docs-'))));
after(() => rmSync(folder, { recursive: true, force: true }));

function fileOf(block: Block): string {
  return join(folder, fileNameOf(block));
}

for (const block of own) {
  mkdirSync(dirname(fileOf(block)), { recursive: true });
  writeFileSync(fileOf(block), block.text);
}
for (const { prefix, text } of snippets()) {
  mkdirSync(join(folder, 'snippets'), { recursive: true });
  writeFileSync(join(folder, 'snippets', `${prefix}.ts`), text);
}

writeFileSync(join(folder, 'reference.ts'), await referenceProgram());

test('TypeScript in the documents and in the snippets for editors compiles', async () => {
  const paths = Object.fromEntries(
    [...sourcePaths].map(([name, path]) => [name, [inRepository(path)]]),
  );
  const options = { paths, incremental: false, noUnusedLocals: false, tsBuildInfoFile: null };
  const config = {
    extends: inRepository('tsconfig.json'),
    // The gates check the declarations of libraries: they are the same here.
    compilerOptions: {
      ...options,
      skipLibCheck: true,
      isolatedDeclarations: false,
      rootDir: inRepository('.'),
    },
    include: [join(folder, '**/*.ts')],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const signal = new AbortController().signal;
  const { isGood, output } = await runTool('tsc', ['--project', folder, '--noEmit'], signal);
  assert.ok(isGood, output);
});

test('what the documents show of other libraries parses', () => {
  for (const { path, line, text, marks } of blocks) {
    if (!marks.includes('theirs')) continue;
    assert.doesNotThrow(() => stripTypeScriptTypes(text), `${path}:${line}`);
  }
});

for (const block of own.filter(({ marks }) => marks.includes('run'))) {
  test(`the program in ${block.path}, line ${block.line}, runs to its end`, async (context) => {
    const cwd = mkdtempSync(join(tmpdir(), 'pawl-docs-run-'));
    context.after(() => rmSync(cwd, { recursive: true, force: true }));
    const env: NodeJS.ProcessEnv = { ...childEnvironment };
    if (block.marks.includes('postgres')) {
      const database = await freshDatabase((await postgresServers()).at(-1)!);
      context.after(() => database.drop());
      env['DATABASE_URL'] = database.url;
    }
    const args = ['--import', hooks, fileOf(block)];
    await run(process.execPath, args, { cwd, env, timeout: 120_000 });
  });
}

test('every program of the documents was found', () => {
  assert.ok(own.filter(({ marks }) => marks.includes('run')).length >= 8);
});

test('snippets for editors have prefixes of their own, and a sentence', () => {
  const all = snippets();
  assert.ok(all.length >= 10);
  assert.equal(new Set(all.map(({ prefix }) => prefix)).size, all.length);
  for (const { prefix, description, text } of all) {
    assert.match(prefix, /^pawl-[a-z]+$/);
    assert.ok(description.length > 10, prefix);
    assert.doesNotMatch(text, /\$\d|\$\{\d/, `${prefix}: every placeholder has a value`);
  }
});
