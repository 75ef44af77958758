import assert from 'node:assert/strict';
import { test } from 'node:test';
import { studioReport } from '../packages/studio/src/cli/bench-studio.ts';
import { runStudio } from './studio/run.ts';

test('[T22] the benchmark of the studio runs small, and tells percentiles beside the targets', async () => {
  const options = { runs: 2, slides: 3 };
  const { took } = await runStudio(options, () => undefined);
  const report = studioReport(took, options);
  assert.match(report, /\| convert \| \d+ ms \((within|over) 6000\) \| .*15000.*30000/);
  assert.match(report, /\| export \| \d+ ms \((within|over) 4000\) \| .*12000.*25000/);
});
