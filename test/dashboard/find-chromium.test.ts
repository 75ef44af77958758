import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { chromiumHere } from '../support/browser/find-chromium.ts';

const folder = mkdtempSync(join(tmpdir(), 'pawl-chromium-'));
after(() => rmSync(folder, { recursive: true }));

test('the browser of the tests is the one that CHROMIUM_PATH names, else a headless build', () => {
  const [named, found] = [join(folder, 'named'), join(folder, 'chromium-headless-shell')];
  for (const path of [named, found, join(folder, 'chromium')]) {
    writeFileSync(path, '');
    chmodSync(path, 0o755);
  }
  assert.equal(chromiumHere({ CHROMIUM_PATH: named, PATH: folder }), named);
  assert.equal(chromiumHere({ PATH: folder }), found);
  assert.throws(
    () => chromiumHere({ CHROMIUM_PATH: join(folder, 'none'), PATH: folder }),
    /CHROMIUM_PATH is .*none, which cannot be run/,
  );
});
