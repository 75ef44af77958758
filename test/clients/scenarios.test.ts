import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { scenarios } from '../../scripts/clients/scenarios.ts';
import { inRepository } from '../../scripts/run/repository.ts';

test('the page of the clients lists every conformance scenario', () => {
  const page = readFileSync(inRepository('clients/README.md'), 'utf8');
  const rows = scenarios.map(({ name, title }) => `| \`${name}\` | ${title} |`);
  const [, list = ''] = page.split(
    '| scenario | what is true of a client that passes |\n|---|---|\n',
  );
  assert.deepEqual(list.trim().split('\n'), rows);
});
