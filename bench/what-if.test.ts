import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measureWhatIf } from './what-if/measure.ts';
import { whatIfReport } from './what-if/report.ts';

test('predictions are held against second real runs, and told', async () => {
  const options = { seconds: 1, slots: 2, jobsPerSecond: 12, scale: 0.1 };
  const measured = await measureWhatIf(options);
  assert.equal(measured.predictions.length, 3);
  assert.equal(measured.replay.real.ended, measured.jobs);
  const asked = { command: 'npm run bench:what-if', loadBefore: 1 };
  const report = whatIfReport(measured, { ...options, ...asked });
  assert.match(report, /\| 4 slots \| all \| [\d.]+ s \| [\d.]+ s \| [\d.]+ s \|/);
  assert.doesNotMatch(report, /NaN|undefined|Infinity/);
});
