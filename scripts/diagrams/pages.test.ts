import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { builtInLifecycles } from 'pawl/internal/lifecycles/built-in';
import { inRepository, repositoryFolder } from '../run/repository.ts';
import { lifecycleFiles } from './pages.ts';

for (const [path, text] of lifecycleFiles()) {
  test(`${path} is what the tables say (else: npm run reference)`, () => {
    assert.equal(readFileSync(inRepository(path), 'utf8'), text);
  });
}

test('there is no picture of a lifecycle that is gone', () => {
  const found = globSync('docs/reference/lifecycles/*', { cwd: repositoryFolder });
  const paths = found.map((path) => path.replaceAll('\\', '/'));
  const wanted = builtInLifecycles.map(({ name }) => `docs/reference/lifecycles/${name}.svg`);
  assert.deepEqual(new Set(paths), new Set(wanted));
});
