import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { simulate, type SimulationReport } from '../../simulation/simulate.ts';
import { inMemory } from '../../support/world.ts';
import { Checkpoint, type Settings } from '../checkpoint.ts';
import { type SavedTotals, Totals } from './totals.ts';

function play(seed: number, { coverage }: Totals): Promise<SimulationReport> {
  return simulate({ seed, open: inMemory, cast: 'swarm', coverage });
}

test('a campaign that is stopped and taken up again comes to the same figures', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-checkpoint-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const open = (settings: Settings): Checkpoint<SavedTotals> =>
    new Checkpoint(join(folder, 'campaign.json'), settings);
  const whole = new Totals();
  for (const seed of [71, 72, 73]) whole.add(await play(seed, whole));

  const first = new Totals();
  for (const seed of [71, 72]) first.add(await play(seed, first));
  assert.equal(open({ from: 71 }).read(), null);
  open({ from: 71 }).write(first.save());
  const second = Totals.restore(open({ from: 71 }).read()!);
  second.add(await play(73, second));

  assert.deepEqual(second.save(), whole.save());
  assert.throws(() => open({ from: 72 }).read(), /is of a run with {"from":71}/);
});
