import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openFixture, type Fixture } from './pawl-command.ts';

let fixture: Fixture;
before(async () => {
  fixture = await openFixture();
});
after(() => fixture.close());

test('bench measures the server that runs', async () => {
  const { stdout } = await fixture.pawl([
    'bench',
    '--jobs',
    '20',
    '--callers',
    '2',
    '--write',
    '--json',
  ]);
  const lines = stdout.trimEnd().split('\n');
  const rows = lines.map((line) => JSON.parse(line) as { what: string; perSecond: number });
  assert.equal(rows.length, 3);
  for (const { what, perSecond } of rows) assert.ok(perSecond > 0, what);
});

test('bench writes nothing to a server unless it is told to', async () => {
  for (const command of [['bench'], ['bench', 'studio']]) {
    const { stderr, code } = await fixture.pawl(command);
    assert.equal(code, 2);
    assert.match(stderr, /this makes \d+ jobs .* on http:.*: add --write/);
  }
});
