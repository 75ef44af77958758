// The compiler is the test: programs of users that must compile, with what must not marked in them.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { runTool } from '../../scripts/run/command.ts';
import { inRepository } from '../../scripts/run/repository.ts';

const programs = inRepository('test/types/programs');
const signal = new AbortController().signal;

async function compile(project: string): Promise<void> {
  const { isGood, output } = await runTool('tsc', ['--project', project, '--noEmit'], signal);
  assert.ok(isGood, output);
}

test('types run through definitions, enqueueing, stages, results and errors', async () => {
  await compile(programs);
});

test('the same programs compile under no more than `strict`', async (context) => {
  mkdirSync(inRepository('.cache'), { recursive: true });
  const folder = mkdtempSync(inRepository('.cache/types-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  const loose = {
    exactOptionalPropertyTypes: false,
    noUncheckedIndexedAccess: false,
    noImplicitReturns: false,
    paths: { pawl: [inRepository('src/index.ts')] },
  };
  const config = {
    extends: join(programs, 'tsconfig.json'),
    compilerOptions: loose,
    include: [join(programs, '*.ts')],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  await compile(folder);
});
