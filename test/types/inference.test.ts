// The compiler is the test: programs of users that must compile, with what must not marked in them.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { runTool } from '../../scripts/run/command.ts';
import { inRepository } from '../../scripts/run/repository.ts';

const programs = inRepository('test/types/programs');
const signal = new AbortController().signal;

/** What the compiler has to say. */
async function complaints(project: string): Promise<string> {
  const { isGood, output } = await runTool('tsc', ['--project', project, '--noEmit'], signal);
  return isGood ? '' : output;
}

/** A project of the same programs with other options, or against another `pawl`. */
function projectLike(context: TestContext, options: object, pawl: string | null = null): string {
  mkdirSync(inRepository('.cache'), { recursive: true });
  const folder = mkdtempSync(inRepository('.cache/types-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  if (pawl !== null) writeFileSync(join(folder, 'pawl.ts'), pawl);
  const paths = {
    pawl: [pawl === null ? inRepository('packages/pawl/src/index.ts') : join(folder, 'pawl.ts')],
    'pawl/testing': [inRepository('packages/pawl/src/testing/world.ts')],
  };
  const config = {
    extends: join(programs, 'tsconfig.json'),
    compilerOptions: { ...options, paths },
    include: [join(programs, pawl === null ? '*.ts' : 'handles.ts')],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  return folder;
}

test('types run through definitions, handles, stages, schedules, results and errors', async () => {
  assert.equal(await complaints(programs), '');
});

test('the same programs compile under no more than `strict`', async (context) => {
  const loose = {
    exactOptionalPropertyTypes: false,
    noUncheckedIndexedAccess: false,
    noImplicitReturns: false,
  };
  assert.equal(await complaints(projectLike(context, loose)), '');
});

/** Pawl as it is, but for what its verbs say of results. */
const source = inRepository('packages/pawl/src/index.ts');
const LOSSY = `export * from '${source}';
import { type JobHandle, type JobType, openPawl as open, type Pawl } from '${source}';

interface Lossy {
  enqueue(job: JobType, ...args: unknown[]): Promise<JobHandle<any, any>>;
  job(job: JobType | string, id?: string): JobHandle;
}
export const openPawl = open as unknown as (
  options: Parameters<typeof open>[0],
) => Promise<Omit<Pawl, keyof Lossy> & Lossy & AsyncDisposable>;
`;

test('a verb that loses the type of a result is found, as `any` and as `unknown`', async (context) => {
  const found = await complaints(projectLike(context, {}, LOSSY));
  const lines = readFileSync(join(programs, 'handles.ts'), 'utf8').split('\n');
  const faulty = [...found.matchAll(/handles\.ts[(:](\d+)/g)].map(([, n]) => lines[Number(n) - 1]);
  for (const claim of [
    'typeof made, Invoice',
    'typeof known, Invoice',
    'typeof resized, Resized',
  ]) {
    assert.ok(
      faulty.some((line) => line?.includes(claim)),
      `${claim}\n${found}`,
    );
  }
});
