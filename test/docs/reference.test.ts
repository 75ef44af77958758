// What docs/reference says is what the code says.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { referenceFiles } from '../../scripts/reference/pages.ts';
import { inRepository } from '../../scripts/run/repository.ts';
import { readConfiguration } from '@pawl/server/internal/app/configuration';
import { SETTINGS } from '@pawl/server/internal/app/settings';

for (const [path, text] of await referenceFiles()) {
  if (path.endsWith('.json')) continue;
  test(`${path} is what the code says (else: npm run reference)`, () => {
    assert.ok(readFileSync(inRepository(path), 'utf8') === text, 'run npm run reference');
  });
}

/** A setting that counts only beside another. */
const BESIDE: Readonly<Record<string, NodeJS.ProcessEnv>> = {
  OPENAI_BASE_URL: { PAWL_AI_MODEL: 'any' },
};

test('a default that the reference tells is the one that holds', () => {
  for (const { name, fallback } of SETTINGS) {
    if (fallback === null) continue;
    const env = BESIDE[name] ?? {};
    assert.deepEqual(readConfiguration({ ...env, [name]: fallback }), readConfiguration(env), name);
  }
});
