import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bannedPhraseProblems, textsOf } from './banned-phrases.ts';

describe('banned phrases', () => {
  const source = 'packages/pawl/src/cli/commands/jobs.ts';
  const problems = (path: string, text: string): string[] => bannedPhraseProblems({ path, text });

  test('a phrase is found in documents and in texts of the sources, across lines', () => {
    const [found] = problems('docs/guides/a.md', '# A\n\nJobs that come\nround by hour.\n');
    assert.match(found!, /^docs\/guides\/a\.md:3: “come round”: say recurring$/);
    assert.equal(problems('docs/guides/a.md', '- It goes\n  on.\n').length, 1);
    assert.equal(problems(source, "option('--a', 'so many at ' + 'once')").length, 1);
    assert.equal(problems(source, "const a = 'handlers in ' +\n  'hand finish';").length, 1);
    assert.equal(problems(source, 'fail(`"${wish}" is no JSON`)').length, 1);
  });

  test('a phrase is found in what a page of the dashboard shows, beside its literals', () => {
    const page = 'packages/dashboard/src/pages/worker.tsx';
    const shown =
      "<p>\n  It goes\n  on with <b>{name}</b>, the job's worker (which is told to stop).\n</p>";
    assert.equal(problems(page, shown).length, 2);
    assert.equal(problems(page, '<p title="by itself">{text}</p>').length, 1);
    assert.equal(problems(page, "say('The worker is told later');").length, 1);
    const code = 'function A({ wish }: Given) {\n  return <B wish={wish} />;\n}';
    assert.deepEqual(problems(page, code), []);
  });

  test('code, comments, names and what nobody reads are left alone', () => {
    assert.deepEqual(problems(source, "// goes on\nimport { wish } from './wish.ts';"), []);
    assert.deepEqual(problems(source, 'fail(`${wish.name} is not JSON`)'), []);
    assert.deepEqual(problems('docs/guides/a.md', '```ts\nconst wish = 1;\n```\n'), []);
    assert.deepEqual(problems('docs/conformance.md', 'it goes on'), []);
    assert.deepEqual(problems('packages/pawl/src/core/a.test.ts', "'it goes on'"), []);
  });

  test('texts that are added up are read as one', () => {
    const texts = textsOf("f('a ' + `b ${c('x')}`, 'd')").map(({ text }) => text);
    assert.deepEqual(texts, ['a b …', 'd']);
  });
});
