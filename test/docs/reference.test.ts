// What docs/reference says is what the code says.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { referenceFiles } from '../../scripts/reference/pages.ts';
import { inRepository } from '../../scripts/run/repository.ts';
import { readConfiguration } from '@pawl/server/internal/app/configuration';
import { compose } from '@pawl/server/internal/app/composed';
import { readOgcSettings } from '../../packages/ogc/src/settings.ts';
import { readStudioSettings } from '../../packages/studio/src/settings.ts';

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

/** All that is made of settings. */
function madeOf(env: NodeJS.ProcessEnv): object {
  const { env: _as, ...platform } = readConfiguration(env);
  return {
    platform,
    studio: readStudioSettings(env),
    ogc: readOgcSettings({ settings: env, publicUrl: null }, {}),
  };
}

test('a default that the reference tells is the one that holds', async () => {
  const { resolved } = await compose({ env: {} });
  for (const { name, fallback } of resolved.map(({ setting }) => setting)) {
    if (fallback === null) continue;
    const env = BESIDE[name] ?? {};
    assert.deepEqual(madeOf({ ...env, [name]: fallback }), madeOf(env), name);
  }
});
