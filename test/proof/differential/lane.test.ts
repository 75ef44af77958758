// The campaign of `npm run proof:differential` on PostgreSQL, for two short races on each server.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runRace } from '../../differential/race.ts';
import { postgresServers } from '../../support/postgres/servers.ts';
import { inMemory } from '../../support/world.ts';
import { openLane } from './lane.ts';

const oracle = { label: 'memory', open: inMemory, isTailPrompt: true };

test('a race finds nothing in its database of the race before it', async () => {
  for (const server of await postgresServers()) {
    const lane = await openLane(server);
    try {
      const entrants = [oracle, { ...lane, isTailPrompt: false }];
      for (const seed of [7, 8]) {
        const found = await runRace({ seed, steps: 80, entrants, fullEvery: 40 });
        assert.equal(found, null, `${server.label}, seed ${seed}: ${found?.what}`);
      }
    } finally {
      await lane.end();
    }
  }
});
