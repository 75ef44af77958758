// What the failover table is made of; `npm run proof:failover` makes it on a real cluster.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findPrograms } from '../../../scripts/cluster/programs.ts';
import { campaign } from './campaign.ts';
import { STRICT_FAULTS } from './faults.ts';
import { longestGap } from './probe.ts';
import { type Row, tableOf } from './table.ts';

const isWanted = process.env['PAWL_TEST_CLUSTER'] !== undefined;
const skip = isWanted ? false : 'starts a cluster for minutes: set PAWL_TEST_CLUSTER=1';

test('time without service is the longest between two answers that touches the fault', () => {
  assert.equal(longestGap([1, 2, 3, 10, 11], { from: 4, to: 12 }), 7);
  assert.equal(longestGap([1, 2, 3], { from: 4, to: 12 }), 9, 'nobody was served any more');
  assert.equal(longestGap([1, 9, 20], { from: 10, to: 12 }), 3, 'what came later does not count');
  assert.equal(longestGap([], { from: 4, to: 12 }), 8);
});

test('the table has a line for each fault and mode, with the median and the longest', () => {
  const row = (fault: string, seconds: number, lost: number): Row => ({
    fault,
    mode: 'strict',
    hasFailedOver: true,
    outages: new Map([['haproxy', seconds * 1_000]]),
    from: 0,
    to: 1,
    acknowledged: 10,
    lost,
  });
  const rows = [row('switchover', 3, 0), row('switchover', 9, 0), row('switchover', 4, 1)];
  assert.deepEqual(tableOf([...rows, row('kill', 5, 0)], ['haproxy']), [
    '| fault | mode | times | failovers | acknowledged | lost | haproxy |',
    '|---|---|---|---|---|---|---|',
    '| switchover | strict | 3 | 3 | 30 | 1 | 4–9 |',
    '| kill | strict | 1 | 1 | 10 | 0 | 5 |',
  ]);
});

test(
  '[R24, R25] a switchover of a real cluster loses nothing that was acknowledged',
  { skip },
  async (context) => {
    const programs = await findPrograms();
    assert.ok(!('missing' in programs), JSON.stringify(programs));
    const report = await campaign({
      programs,
      mode: 'strict',
      routes: ['haproxy', 'pgbouncer'],
      hosts: null,
      faults: STRICT_FAULTS.filter(({ name }) => name === 'switchover'),
      rounds: 1,
      rate: 4,
      seed: 1,
      isTimeLeft: () => true,
      say: (line) => context.diagnostic(line),
    });
    assert.deepEqual([report.violations, report.verdict.lost], [[], 0]);
  },
);
