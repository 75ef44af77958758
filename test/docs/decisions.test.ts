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
  const numbers = new Set<number>();
  const lines = names
    .toSorted((one, other) => (one < other ? -1 : 1))
    .map((name) => {
      // Numbers are given out before pages are written, so that there may be gaps.
      const number = Number(/^(\d{4})-/.exec(name)?.[1]);
      assert.ok(!numbers.has(number), `${name} has a number of its own`);
      numbers.add(number);
      const [first = ''] = read(name).split('\n');
      const prefix = `# ${number}. `;
      assert.ok(first.startsWith(prefix), `${name} begins with its number`);
      return `${number}. [${first.slice(prefix.length)}](${name})`;
    });
  const listed = read('README.md').match(/^\d+\. .*$/gm) ?? [];
  assert.deepEqual(listed, lines);
});
