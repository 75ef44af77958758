// Everything that two workers, a client, time and the sweeps can do to one job, up to a depth.
// `npm run proof:explore -- --depth 40` goes to the end.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { distributed } from 'pawl/internal/lifecycles/distributed';
import { explore } from './explore.ts';
import { exploreFlows } from './flows/explore.ts';
import { findPlantedFlow, PLANTED_IN_FLOWS } from './flows/planted.ts';
import { findPlanted } from './find-planted.ts';
import { PLANTED_IN_SQLITE } from './planted.ts';

test('[R5, R7, P2, P9] in every order of what can happen to a job, all laws hold', async (context) => {
  const found = await explore({ lifecycle: distributed, depthMax: 5 });
  context.diagnostic(`${found.states} states, ${found.steps} steps, ${found.moves} moves`);
  assert.deepEqual(found.problems, []);
  assert.ok(found.states > 200, `${found.states} states`);
});

test('[R5, R7] in every order of what can happen to a parent and its children, all laws hold', async (context) => {
  const found = await exploreFlows({ lifecycle: 'task', depthMax: 5 });
  context.diagnostic(`${found.states} states, ${found.steps} steps, ${found.moves} moves`);
  assert.deepEqual(found.problems, []);
  assert.ok(found.states > 60, `${found.states} states`);
});

test('exploring a flow finds a store in which a spawn is not fenced', async (context) => {
  const told = await findPlantedFlow(PLANTED_IN_FLOWS['a spawn is not fenced']!);
  assert.ok(told, 'it was not found');
  context.diagnostic(told);
});

describe('exploring finds a store in which', () => {
  for (const [title, planted] of Object.entries(PLANTED_IN_SQLITE)) {
    // A dead end shows only when everything has been explored: `npm run proof:mutants` does that.
    if (planted.tells === 'I20') continue;
    test(title, async (context) => {
      const told = await findPlanted(planted);
      assert.ok(told, 'it was not found');
      context.diagnostic(told);
    });
  }
});
