// `pawl tour`, as a newcomer types it after `npm start`.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readConfiguration } from '@pawl/server/internal/app/configuration';
import { startPlatform } from '@pawl/server/internal/app/platform';
import { runPawl } from '../../../test/cli/pawl-command.ts';

test('[T1, T23, T24, T25] pawl tour converts, exports, downloads and asks, on a platform as it starts', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-tour-'));
  const env = { PORT: '0', PAWL_DATA: join(folder, 'data') };
  const platform = await startPlatform(readConfiguration(env), { warn: () => undefined });
  context.after(async () => {
    await platform.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const out = join(folder, 'out');
  const { code, stdout, stderr } = await runPawl(['tour', '--out', out], platform);
  assert.equal(code, 0, stderr);
  assert.deepEqual(readdirSync(out).toSorted(), [
    'The ratchet.pdf',
    'The ratchet.pptx',
    'deck.json',
    'losses.json',
    'previews-0001.jpg',
    'previews-0002.jpg',
    'previews-0003.jpg',
    'previews-0004.jpg',
  ]);
  assert.equal(readFileSync(join(out, 'The ratchet.pdf')).toString('latin1', 0, 5), '%PDF-');
  assert.match(stdout, /A worker owns a job for as long as its lease lasts.* \[slide 3\]/);
  assert.match(stderr, /Answered by pawl-extractive-1\./);
});
