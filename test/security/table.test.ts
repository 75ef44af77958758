// The table of controls: none without a test, none without a place, and no number from nowhere.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { findTestFiles, inRepository, shortPath } from '../../scripts/run/repository.ts';
import { CONTROLS } from './controls.ts';
import { MUTATIONS } from './mutations.ts';

/** The first words of every title with ids in front, by file. */
const TITLE = /(?:test|onEveryServer)\(\s*[`'"]\[([^\]]+)\]/g;

const shown = new Map<string, Set<string>>();
for (const file of findTestFiles()) {
  for (const [, ids = ''] of readFileSync(file, 'utf8').matchAll(TITLE)) {
    for (const id of ids.split(/,\s*/).filter((one) => /^S\d+$/.test(one))) {
      shown.set(id, (shown.get(id) ?? new Set()).add(shortPath(file)));
    }
  }
}

test('every one of the 26 controls has a test with its number', (context) => {
  const all = Object.keys(CONTROLS);
  assert.equal(all.length, 26);
  const silent = all.filter((id) => !shown.has(id));
  assert.deepEqual(silent, []);
  for (const id of all) context.diagnostic(`${id}: ${[...shown.get(id)!].join(', ')}`);
});

test('every number in a title is one of the table', () => {
  const unknown = [...shown.keys()].filter((id) => !Object.hasOwn(CONTROLS, id));
  assert.deepEqual(unknown, []);
});

test('every control names places that are there', () => {
  for (const [id, { places }] of Object.entries(CONTROLS)) {
    assert.ok(places.length > 0, id);
    for (const place of places) assert.ok(existsSync(inRepository(place)), `${id}: ${place}`);
  }
});

test('every mistake to be planted still fits the file that it is planted in', () => {
  for (const { control, file, from, tests } of MUTATIONS) {
    assert.ok(Object.hasOwn(CONTROLS, control), control);
    const text = readFileSync(inRepository(file), 'utf8');
    assert.equal(text.split(from).length - 1, 1, `${control}: ${file} has it once: ${from}`);
    assert.ok(existsSync(inRepository(tests)), tests);
  }
});
