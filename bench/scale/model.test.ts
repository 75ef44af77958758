// The model of the capacity page: multiplication that anybody can follow by hand.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { lastCosts } from '../costs/file.ts';
import { demandOf, type Load } from './demand.ts';
import { httpDemandOf } from './fleet.ts';
import { billOf, cellsFor, type Database, limitsOf, priceOf } from './limits.ts';
import { eachOf, httpReport, lineThrough, type Measured, measuredFrom } from './measured.ts';
import { paperLines } from './paper.ts';
import { FLEET } from './scenarios.ts';

const flat = { call: 0, job: 0 };
const verb = {
  walBytes: { call: 100, job: 500 },
  cpuMs: { call: 0.9, job: 0.1 },
  xids: { call: 1, job: 0 },
  logNumbers: { call: 1, job: 0 },
};
const MEASURED: Measured = {
  verbs: {
    enqueue: verb,
    claim: verb,
    renewal: verb,
    heartbeat: verb,
    complete: verb,
    'complete and claim': verb,
  },
  emptyClaimCpuMs: 0.1,
  keptBytes: 1_000,
  noteBytes: 100,
  vacuum: { walBytes: 50, cpuMs: 0.01 },
  freezing: { walBytes: 50, cpuMs: 0.01 },
  deadRows: 2,
  apiCpuMs: { enqueue: 0.2, claim: 0.4, report: 0.5 },
  streamCpuMs: 0.02,
};
const LOAD: Load = {
  jobsPerSecond: 1_000,
  peakFactor: 2,
  jobMs: 40_000,
  heartbeatMs: 15_000,
  keptDays: 30,
  notesDays: 1,
  payloadBytes: 0,
  batch: 10,
  processes: 5,
};
const DATABASE: Database = {
  cores: 10,
  coresShare: 0.5,
  walBytesPerSecond: 10e6,
  diskBytes: 10e12,
  connections: 100,
  hoursBetweenFreezes: 24,
};

function isNear(value: number, wanted: number, share = 1e-9): void {
  assert.ok(Math.abs(value / wanted - 1) <= share, `${value}, not ${wanted}`);
}

describe('what a load needs', () => {
  const demand = demandOf(MEASURED, LOAD);

  test('a line goes through what one and what a hundred in a call cost', () => {
    const line = lineThrough(1.0, 0.1);
    isNear(eachOf(line, 1), 1.0);
    isNear(eachOf(line, 100), 0.1);
    assert.deepEqual(lineThrough(5, 5), { call: 0, job: 5 });
    assert.deepEqual(lineThrough(0, 0), flat);
  });

  test('each call that writes takes one transaction number, whoever shares it', () => {
    // Three verbs and two renewals, ten jobs a call.
    isNear(demand.xidsPerSecond, 500);
    isNear(demandOf(MEASURED, { ...LOAD, batch: 1 }).xidsPerSecond, 5_000);
    isNear(demand.hoursToForcedVacuum, 200_000_000 / 500 / 3_600);
    isNear(demand.hoursToStop, 10 * demand.hoursToForcedVacuum);
  });

  test('cores, commits and renewals are those of the peak, bytes those of the mean', () => {
    // Five calls of 0.19 ms a job and 0.02 ms of vacuum.
    isNear(demand.cores, (2_000 * (5 * 0.19 + 0.02)) / 1_000);
    isNear(demand.commitsPerSecond, 1_000);
    isNear(demand.renewalsPerSecond, 4_000);
    isNear(demand.walBytesPerSecond, 1_000 * (5 * 510 + 100));
    isNear(demand.jobsInFlight, 80_000);
    isNear(demand.deadRowsPerSecond, 4_000);
    isNear(demand.vacuumShare, 0.02);
    assert.equal(demand.connections, 50);
  });

  test('a partition holds a sixth of the retention, and one more than is kept is there', () => {
    isNear(demand.partition.days, 5);
    isNear(demand.partition.jobs, 1_000 * 86_400 * 5);
    isNear(demand.diskBytes, 1_000 * 86_400 * (35 * 1_000 + 2 * 100));
  });

  test('payloads are twice in the write-ahead log and once on the disk', () => {
    const more = demandOf(MEASURED, { ...LOAD, payloadBytes: 1_000 });
    isNear(more.walBytesPerSecond - demand.walBytesPerSecond, 2_000_000);
    isNear(more.diskBytes - demand.diskBytes, 1_000 * 86_400 * 35 * 1_000);
  });
});

describe('what is reached first', () => {
  const limits = limitsOf(MEASURED, LOAD, DATABASE);

  test('limits come in the order in which a growing load reaches them', () => {
    assert.deepEqual(
      limits.map(({ name }) => name),
      ['cores', 'disk', 'write-ahead log', 'transaction numbers'],
    );
    for (const { reachedAt, name } of limits) {
      const there = limitsOf(MEASURED, { ...LOAD, jobsPerSecond: reachedAt }, DATABASE);
      const same = there.find((limit) => limit.name === name)!;
      isNear(same.needed, same.available);
    }
  });

  test('cells are as many as the fullest of them needs', () => {
    const carries = limits[0]!.reachedAt;
    const load = { ...LOAD, jobsPerSecond: 3.5 * carries };
    const cells = cellsFor(MEASURED, load, { database: DATABASE, tenants: 1_000 })!;
    assert.ok(cells.count >= 4, `${cells.count}`);
    assert.ok((load.jobsPerSecond / cells.count) * cells.fullest <= carries);
    const one = { ...LOAD, jobsPerSecond: carries };
    assert.equal(cellsFor(MEASURED, one, { database: DATABASE, tenants: 1_000 })!.count, 1);
    const huge = { ...LOAD, jobsPerSecond: 100 * carries };
    assert.equal(cellsFor(MEASURED, huge, { database: DATABASE, tenants: 1_000 }), null);
  });

  test('a bill is what the servers and their copies take, times the prices of the reader', () => {
    const demand = demandOf(MEASURED, LOAD);
    const bill = billOf(demand, DATABASE, { standbys: 1, walDaysKept: 7 });
    isNear(bill.coreHours, (demand.cores / 0.5) * 730 * 2);
    isNear(bill.diskTerabyteMonths, (2 * demand.diskBytes) / 1e12);
    isNear(bill.walTerabytes, (2 * demand.walBytesPerSecond * 86_400 * 30) / 1e12);
    const prices = { coreHour: 1, diskTerabyteMonth: 0, archiveTerabyteMonth: 0 };
    isNear(priceOf(bill, { ...prices, transferTerabyte: 0 }), bill.coreHours);
  });
});

describe('a fleet of workers over HTTP', () => {
  test('claims that find nothing grow with workers and with jobs', () => {
    const one = httpDemandOf(MEASURED, FLEET);
    const half = httpDemandOf(MEASURED, { ...FLEET, workers: FLEET.workers / 2 });
    assert.ok(one.emptyClaimsPerSecond > 2 * half.emptyClaimsPerSecond);
    isNear(one.renewalsPerSecond, (1_000 * 8 * 0.75) / 15);
    isNear(one.emptyClaimCores, one.emptyClaimsPerSecond * 0.0001);
  });

  test('an idle fleet looks four times a second', () => {
    const idle = httpDemandOf(MEASURED, { ...FLEET, busy: 0 });
    isNear(idle.emptyClaimsPerSecond, 4_000);
  });
});

test('the paper is calculated from the figures that the other benchmarks left behind', () => {
  const measured = measuredFrom(lastCosts(), httpReport());
  for (const [name, { xids, cpuMs }] of Object.entries(measured.verbs)) {
    // One call that writes, one transaction.
    isNear(eachOf(xids, 1), 1, 0.05);
    assert.ok(eachOf(cpuMs, 1) > eachOf(cpuMs, 100), name);
  }
  assert.ok(measured.keptBytes > 100 && measured.apiCpuMs.claim > 0 && measured.streamCpuMs > 0);
  assert.doesNotMatch(
    paperLines(measured, { runs: [], wire: [] }).join('\n'),
    /NaN|undefined|Infinity/,
  );
});

test('a figure that no benchmark has left is asked for by name', () => {
  assert.throws(() => measuredFrom(lastCosts(), '# nothing'), /was not measured/);
});
