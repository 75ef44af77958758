import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, describe, test } from 'node:test';
import { inRepository } from './repository.ts';
import { select } from './run-tests.ts';
import { lastLine, sumByFolder, timeTable } from './summary.ts';
import type { FileResult, Outcome, TestResult } from './test-results.ts';
import { hashTree } from './tree-hash.ts';

const folder = mkdtempSync(join(tmpdir(), 'pawl-run-'));
after(() => rmSync(folder, { recursive: true }));

interface Run {
  tests: TestResult[];
  files: FileResult[];
  said: string;
}

// In a process of its own: node:test refuses to run test files from within a test file.
function runPlanted(sources: Record<string, string>, isWhole = true): Run {
  const files = Object.entries(sources).map(([name, source]) => {
    writeFileSync(join(folder, name), `import { describe, test } from 'node:test';\n${source}`);
    return join(folder, name);
  });
  const script = `
    import { runTests } from ${JSON.stringify(import.meta.resolve('./run-tests.ts'))};
    let said = '';
    const { tests, files } = await runTests({
      selection: { files: ${JSON.stringify(files)}, titlePatterns: [] },
      isWhole: ${isWhole},
      signal: new AbortController().signal,
      say: (text) => (said += text),
    });
    console.log(JSON.stringify({ tests, files, said }));`;
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const runner = join(folder, 'runner.mjs');
  writeFileSync(runner, script);
  const { stdout, stderr } = spawnSync(process.execPath, [runner], { env, encoding: 'utf8' });
  assert.equal(stderr, '');
  return JSON.parse(stdout) as Run;
}

function outcomes({ tests }: Run): string[] {
  return tests.map(({ titles, outcome }) => `${titles.join(' › ')}: ${outcome}`);
}

describe('running tests', () => {
  test('results carry the whole path of titles and the outcome', () => {
    const run = runPlanted({
      'mixed.test.mjs': `
        describe('a', () => {
          describe('b', () => { test('good', () => {}); });
          test('skipped', { skip: true }, () => {});
          test('todo', { todo: 'later' }, () => { throw new Error('not yet'); });
          test('bad', () => { console.log('a clue'); throw new Error('reason'); });
        });
        test('outer', async (t) => { await t.test('inner', () => {}); });`,
    });
    assert.deepEqual(outcomes(run), [
      'a › b › good: passed',
      'a › skipped: skipped',
      'a › todo: skipped',
      'a › bad: failed',
      'outer › inner: passed',
      'outer: passed',
    ]);
    assert.match(run.said, /a › bad[\s\S]*Error: reason[\s\S]*a clue/);
    assert.deepEqual(
      run.files.map(({ file }) => basename(file)),
      ['mixed.test.mjs'],
    );
  });

  test('a file that breaks outside of its tests is a failure', () => {
    const run = runPlanted({
      'broken.test.mjs': `throw new Error('at load');`,
      'late.test.mjs': `const breakLate = () => { throw new Error('late'); };
        test('good', () => { setImmediate(breakLate); });`,
    });
    assert.equal(run.tests.filter(({ outcome }) => outcome === 'failed').length, 2);
    assert.match(run.said, /at load/);
    assert.match(run.said, /late\.test\.mjs[^]*the process ended with 1/);
    assert.match(run.said, /activity after the test ended[^]*"Error: late"/);
  });

  test('a suite whose hook breaks is a failure', () => {
    const source = `import { before } from 'node:test';
      describe('a', () => { before(() => { throw new Error('hook'); }); test('t', () => {}); });`;
    const failed = runPlanted({ 'hook.test.mjs': source }).tests.map(({ outcome }) => outcome);
    assert.ok(failed.length > 0 && failed.every((outcome) => outcome === 'failed'));
  });

  test('a file without a test is a failure in a whole run only', () => {
    const sources = { 'empty.test.mjs': 'console.log(1);' };
    assert.deepEqual(outcomes(runPlanted(sources)), ['the file has at least one test: failed']);
    assert.deepEqual(outcomes(runPlanted(sources, false)), []);
  });
});

describe('selecting tests', () => {
  const files = ['core/job.test.ts', 'store/store.test.ts'].map((path) =>
    inRepository('packages/pawl/src', path),
  );

  test('words in paths select files, others select titles', () => {
    assert.deepEqual(select(['packages/pawl/src/core'], files), {
      files: [files[0]],
      titlePatterns: [],
    });
    assert.deepEqual(select(['./packages/pawl/src/core'], files), {
      files: [files[0]],
      titlePatterns: [],
    });
    assert.deepEqual(select(['[D6]'], files), { files, titlePatterns: ['[D6]'] });
    assert.deepEqual(select(['store', '[D6]'], files), {
      files: [files[1]],
      titlePatterns: ['[D6]'],
    });
    assert.deepEqual(select([], files), { files, titlePatterns: [] });
  });

  test('a path that no test file has is refused instead of being taken for a title', () => {
    assert.throws(() => select(['test/spec/nothing'], ['/x/test/spec/serve.test.ts']), {
      message:
        'No test file\'s path contains "test/spec/nothing". Give part of a path, as in ' +
        'test/spec/serve, or words of a title.',
    });
  });
});

describe('the summary', () => {
  const tests = (...outcomes: Outcome[]): TestResult[] =>
    outcomes.map((outcome) => ({ file: 'a', titles: ['t'], outcome, ms: 1 }));

  test('the last line counts tests and speaks of skipped ones only if there are any', () => {
    assert.equal(lastLine(tests('passed', 'failed', 'passed')), '2 passed, 1 failed');
    assert.equal(lastLine(tests('passed', 'skipped')), '1 passed, 0 failed, 1 skipped');
  });

  test('time is summed by folder and compared to the budget', () => {
    const files = [
      { file: 'packages/pawl/src/store/sqlite/a.test.ts', ms: 2_000 },
      { file: 'packages/pawl/src/store/b.test.ts', ms: 1_000 },
      { file: 'test/spec/c.test.ts', ms: 500 },
    ];
    assert.deepEqual(
      [...sumByFolder(files)],
      [
        ['packages/pawl/src/store', 3_000],
        ['test/spec', 500],
      ],
    );
    const table = timeTable([{ name: 'tests', ms: 180_000, isGood: true }], files);
    assert.match(table, /Total 180\.0 s: 10\.0 % of the budget of 30 minutes$/);
  });
});

test('the fingerprint changes with code and not with documents', () => {
  const tree = join(folder, 'tree');
  mkdirSync(join(tree, 'packages/pawl/src/core'), { recursive: true });
  writeFileSync(join(tree, 'packages/pawl/src/core/a.ts'), '1');
  const before = hashTree(tree);
  writeFileSync(join(tree, 'README.md'), 'hello');
  assert.equal(hashTree(tree), before);
  writeFileSync(join(tree, 'packages/pawl/src/core/a.ts'), '2');
  assert.notEqual(hashTree(tree), before);
});
