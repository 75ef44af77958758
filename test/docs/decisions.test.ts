// The list of decisions, against the pages.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const folder = join(import.meta.dirname, '../../docs/decisions');

function read(name: string): string {
  return readFileSync(join(folder, name), 'utf8');
}

test('every decision has a number of its own and stands in the list by its title', () => {
  const names = readdirSync(folder).filter((name) => name !== 'README.md');
  const lines = names
    .toSorted((one, other) => (one < other ? -1 : 1))
    .map((name, index) => {
      const number = index + 1;
      assert.ok(
        name.startsWith(`${String(number).padStart(4, '0')}-`),
        `${name} is page ${number}`,
      );
      const [first = ''] = read(name).split('\n');
      const prefix = `# ${number}. `;
      assert.ok(first.startsWith(prefix), `${name} begins with its number`);
      return `${number}. [${first.slice(prefix.length)}](${name})`;
    });
  const listed = read('README.md').match(/^\d+\. .*$/gm) ?? [];
  assert.deepEqual(listed, lines);
});
