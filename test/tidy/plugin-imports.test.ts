// The rule on the imports of plug-ins is shown able to fail, on planted sources.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pluginImportProblems } from './plugin-imports.ts';

const hooks = 'packages/server/src/webhooks/fan-out.ts';
const allowed: [string, string][] = [
  ['packages/ogc/src/plugin.ts', 'pawl/plugin'],
  ['packages/ogc/src/plugin.ts', 'pawl/define'],
  ['packages/ogc/src/server/job.ts', '../model/link.ts'],
  ['packages/studio/src/jobs.ts', 'typebox'],
  ['packages/ogc/src/gateway/pulses.test.ts', 'pawl/internal/core/clock'],
  ['packages/server/src/http/server.ts', 'pawl/internal/engine/engine'],
  [hooks, './deliver.ts'],
];
const refused: [string, string][] = [
  ['packages/ogc/src/plugin.ts', 'pawl/internal/engine/engine'],
  ['packages/ogc/src/server/job.ts', '@pawl/server/internal/http/problem'],
  ['packages/move/src/plugin.ts', '@pawl/server'],
  ['packages/studio/src/jobs.ts', '../../pawl/src/index.ts'],
  [hooks, 'pawl/internal/core/job'],
  [hooks, '../http/view.ts'],
];
for (const [path, specifier] of allowed) {
  test(`${path} may import ${specifier}`, () => {
    assert.deepEqual(
      pluginImportProblems({ path, text: `import { a } from '${specifier}';\n` }),
      [],
    );
  });
}
for (const [path, specifier] of refused) {
  test(`${path} may not import ${specifier}`, () => {
    assert.equal(
      pluginImportProblems({ path, text: `import { a } from '${specifier}';\n` }).length,
      1,
    );
  });
}
