import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { QueueJson } from 'pawl/internal/contract/queue';
import { openFixture, type Fixture } from './pawl-command.ts';

let fixture: Fixture;
before(async () => {
  fixture = await openFixture();
});
after(() => fixture.close());

test('queues pause --until takes a time or how long from now, and says until when', async () => {
  const until = (...words: string[]) =>
    fixture.pawl(['queues', 'pause', 'default', '--until', ...words]);
  const dated = await until('2126-11-15T08:00:00Z');
  assert.equal(dated.stdout, 'default: paused until 2126-11-15T08:00:00.000Z\n');
  assert.match((await fixture.pawl(['queues'])).stdout, /paused until 2126-11-15T08:00:00.000Z/);
  const from = Date.now();
  const { pausedUntil } = JSON.parse((await until('2h', '--json')).stdout) as QueueJson;
  assert.ok(Math.abs(Date.parse(pausedUntil!) - from - 7_200_000) < 600_000, pausedUntil!);
  assert.match((await until('noon')).stderr, /--until takes a time/);
  assert.match((await until('2026-01-01T00:00')).stderr, /must lie in the future/);
  assert.equal((await fixture.pawl(['queues', 'resume', 'default'])).stdout, 'default: open\n');
});
