import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { buildDashboard } from '../../scripts/build-dashboard.ts';
import { inRepository } from '../../scripts/run/repository.ts';

const SCRIPT_BYTES_MAX = 80_000;
const ALL_BYTES_MAX = 200_000;

function compressed(pattern: RegExp): number {
  const folder = inRepository('dashboard/dist');
  const files = readdirSync(folder, { recursive: true, withFileTypes: true });
  const sizes = files
    .filter((file) => file.isFile() && pattern.test(file.name))
    .map(({ parentPath, name }) => gzipSync(readFileSync(`${parentPath}/${name}`)).byteLength);
  return sizes.reduce((sum, size) => sum + size, 0);
}

test('the dashboard is built, and its first load stays small', async () => {
  assert.equal(await buildDashboard(), null);
  const script = compressed(/\.js$/);
  assert.ok(script > 0 && script <= SCRIPT_BYTES_MAX, `${script} bytes of script`);
  const all = compressed(/./);
  assert.ok(all <= ALL_BYTES_MAX, `${all} bytes in all`);
});
