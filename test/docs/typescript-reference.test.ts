// Every exported name and every option is explained.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { declaredIn } from '../../scripts/reference/declarations.ts';
import { EXAMPLES } from '../../scripts/reference/examples.ts';
import { optionGroups } from '../../scripts/reference/options.ts';
import { entries, examples } from '../../scripts/reference/typescript.ts';
import { sourcePaths } from '../../scripts/run/own-sources.ts';

const shown = examples();
const SENTENCE = /^\S.*\s.*[.:)`'…]$/s;

for (const { name: entry, declarations } of entries()) {
  test(`every exported name of ${entry} has a sentence that says what it is for`, () => {
    assert.ok(declarations.length > 0);
    const silent = declarations.filter(({ comment }) => !SENTENCE.test(comment));
    assert.deepEqual(
      silent.map(({ name, path }) => `${path}: ${name}`),
      [],
    );
  });

  test(`every exported name of ${entry} has an example`, () => {
    const without = declarations.filter(({ name }) => !shown.has(`${entry} ${name}`));
    assert.deepEqual(
      without.map(({ name }) => name),
      [],
    );
  });

  test(`what is exported of ${entry} at run time is in its reference`, async () => {
    const names = new Set(declarations.map(({ name }) => name));
    const module = (await import(entry)) as object;
    assert.ok(sourcePaths.has(entry));
    assert.deepEqual(
      Object.keys(module).filter((name) => !names.has(name)),
      [],
    );
  });
}

test('no line is written for a name that a guide or an example shows, or that is gone', () => {
  const written = Object.keys(EXAMPLES).filter(
    (name) => ![...shown.values()].includes(`\`${EXAMPLES[name]}\``),
  );
  assert.deepEqual(written, []);
});

for (const { title, members } of optionGroups()) {
  test(`every option of ${title} has a sentence`, () => {
    assert.ok(members.length > 0);
    const silent = members.filter(({ comment }) => comment.length < 9);
    assert.deepEqual(
      silent.map(({ name }) => name),
      [],
    );
  });
}

test('a comment, members and their types are read from a declaration', () => {
  const work = declaredIn('packages/pawl/src/pawl/pawl.ts', 'WorkOptions')!;
  const slots = work.members.find(({ name }) => name === 'slots');
  assert.deepEqual(slots, {
    name: 'slots',
    type: 'number',
    isOptional: true,
    comment: 'Maximum number of handlers that run at once; default: 16.',
  });
});
