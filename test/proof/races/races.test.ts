import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forEachStore } from '../../support/world-stores.ts';
import { raceEnds } from './race.ts';

await forEachStore(({ label, open }) => {
  test(`${label}: of seven ends against a suspending parent no wake is lost`, async () => {
    assert.deepEqual((await raceEnds(open, 30)).problems, []);
  });
});
