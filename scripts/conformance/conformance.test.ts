import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Outcome, TestResult } from '../run/test-results.ts';
import { toMarkdown, toText } from './markdown.ts';
import { buildMatrix } from './matrix.ts';
import { idsIn, parseRequirements } from './requirements.ts';

const markdown = `# Requirements

## D — Document jobs (\`a.txt\`)

| id | must hold |
|---|---|
| D1 | Six states. |
| D2 | Seven a\\|b transitions. |
| D10 | Never more. |

## T — Typed jobs

| id | must hold |
|---|---|
| T9 | Same key. |
`;

function ran(titles: string[], outcome: Outcome = 'passed'): TestResult {
  return { file: 'test/spec/a.test.ts', titles, outcome, ms: 1 };
}

function verdicts(tests: TestResult[]): string[] {
  const { sections } = buildMatrix(parseRequirements(markdown), tests);
  return sections.flatMap(({ rows }) => rows.map(({ id, verdict }) => `${id} ${verdict}`));
}

describe('ids in titles', () => {
  const cases: [string, string[]][] = [
    ['[T9] same key, other payload', ['T9']],
    ['[D6, D10] at most three retries', ['D6', 'D10']],
    ['[D6,D10,R21] tight', ['D6', 'D10', 'R21']],
    ['no ids', []],
    ['later [D6] does not count', []],
    ['[X1] another letter', []],
    ['[D6 D10] no comma', []],
    ['[] nothing', []],
  ];
  for (const [title, ids] of cases) {
    test(`"${title}" gives ${ids.join(' and ') || 'none'}`, () => {
      assert.deepEqual(idsIn(title), ids);
    });
  }
});

describe('requirements', () => {
  test('rows are read in order under their document', () => {
    const documents = parseRequirements(markdown);
    assert.deepEqual(
      documents.map(({ title, requirements }) => [title, requirements.map(({ id }) => id)]),
      [
        ['D — Document jobs (`a.txt`)', ['D1', 'D2', 'D10']],
        ['T — Typed jobs', ['T9']],
      ],
    );
    assert.equal(documents[0]?.requirements[1]?.statement, 'Seven a\\|b transitions.');
  });

  test('two rows with one id are refused', () => {
    assert.throws(() => parseRequirements(`${markdown}| D1 | Again. |\n`), /two rows for D1/);
  });
});

describe('the matrix', () => {
  test('a passing test shows every id of its own title and of the groups around it', () => {
    const tests = [ran(['[D1] states', 'postgres 15', '[D2, T9] all of them'])];
    assert.deepEqual(verdicts(tests), ['D1 pass', 'D2 pass', 'D10 missing', 'T9 pass']);
  });

  test('one failure among many makes the requirement fail', () => {
    const tests = [ran(['[D1] a']), ran(['[D1] b'], 'failed'), ran(['[D1] c'])];
    assert.equal(verdicts(tests)[0], 'D1 fail');
  });

  test('a test that did not run shows nothing', () => {
    assert.equal(verdicts([ran(['[D1] a'], 'skipped')])[0], 'D1 missing');
  });

  test('ids that no requirement has are told', () => {
    const matrix = buildMatrix(parseRequirements(markdown), [ran(['[D99] slip'])]);
    assert.deepEqual(matrix.unknownIds, ['D99']);
    assert.match(toText(matrix), /names D99, which is no requirement/);
  });
});

describe('the report', () => {
  const tests = [ran(['[D1] a | b']), ran(['[D2] <c>'], 'failed')];
  const matrix = buildMatrix(parseRequirements(markdown), tests);

  test('the document has totals, signs and the titles with their files', () => {
    const text = toMarkdown(matrix);
    assert.match(text, /^\| D — Document jobs \(`a\.txt`\) \| 3 \| 1 \| 1 \| 1 \|$/m);
    assert.match(text, /^\| \*\*All\*\* \| 4 \| 1 \| 1 \| 2 \|$/m);
    assert.ok(text.includes('| D1 | Six states. | ✅ | [D1] a \\| b (`test/spec/a.test.ts`) |'));
    assert.ok(text.includes('| ❌ | ❌ [D2] &lt;c> (`test/spec/a.test.ts`) |'));
    assert.ok(text.includes('| D10 | Never more. | — |  |'));
  });

  test('the document names every test of a requirement, however many there are', () => {
    const titles = Array.from({ length: 30 }, (_, number) => `[D1] case ${number}`);
    const all = buildMatrix(
      parseRequirements(markdown),
      titles.map((title) => ran([title])),
    );
    const text = toMarkdown(all);
    assert.deepEqual(
      titles.filter((title) => !text.includes(`${title} (`)),
      [],
    );
  });

  test('the terminal shows one line a requirement and names failed tests', () => {
    const text = toText(matrix);
    assert.match(text, /^ {2}D1 {3}pass {4}1 test$/m);
    assert.match(text, /✗ test\/spec\/a\.test\.ts: \[D2\] <c>/);
    assert.match(text, /1 pass, 1 fail, 2 missing$/);
  });
});
