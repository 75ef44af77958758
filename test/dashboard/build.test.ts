import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { buildDashboard } from '../../scripts/build-dashboard.ts';
import { inRepository } from '../../scripts/run/repository.ts';

const SCRIPT_BYTES_MAX = 80_000;
const ALL_BYTES_MAX = 90_000;

/** What a browser loads before it shows anything: the page, and what it names. */
function firstLoad(): string[] {
  const page = readFileSync(inRepository('packages/dashboard/dist/index.html'), 'utf8');
  const named = [...page.matchAll(/(?:src|href)="\.\/([^"]+)"/g)].map(([, name]) => name!);
  return ['index.html', ...named];
}

function compressed(pattern: RegExp): number {
  const sizes = firstLoad()
    .filter((name) => pattern.test(name))
    .map(
      (name) => gzipSync(readFileSync(inRepository('packages/dashboard/dist', name))).byteLength,
    );
  return sizes.reduce((sum, size) => sum + size, 0);
}

test('the dashboard is built, and its first load stays small', async () => {
  assert.equal(await buildDashboard(), null);
  const script = compressed(/\.js$/);
  assert.ok(script > 0 && script <= SCRIPT_BYTES_MAX, `${script} bytes of script`);
  const all = compressed(/./);
  assert.ok(all <= ALL_BYTES_MAX, `${all} bytes in all`);
});
