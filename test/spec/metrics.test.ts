import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LABELS } from '@pawl/server/internal/metrics/definition';
import { watchDatabase } from '@pawl/server/internal/metrics/database-gauges';
import { Meter } from '@pawl/server/internal/metrics/meter';
import { METRICS } from '@pawl/server/internal/metrics/registry';
import { systemClock } from 'pawl/internal/core/clock';
import { systemIds } from 'pawl/internal/core/ids';
import { systemRandom } from 'pawl/internal/core/random';
import { Engine } from 'pawl/internal/engine/engine';
import { openContext } from 'pawl/internal/engine/open-context';
import { builtInLifecycles } from 'pawl/internal/lifecycles/built-in';
import { openPostgresStore } from 'pawl/internal/store/postgres/store';
import { eventually } from '../support/eventually.ts';
import { freshDatabase } from '../support/postgres/fresh-database.ts';
import { postgresServers } from '../support/postgres/servers.ts';
import { realStores } from '../support/real-stores.ts';
import { countedOn, openCounted, samplesOf, valuesOf } from './metrics-fixture.ts';
import { openWorld } from '../support/world.ts';

const stores = await realStores();

/** The document's own table, row by row. */
const TASK_TABLE = `
| job_enqueue_total | counter | job_type |
| job_start_total | counter | job_type |
| job_duration_seconds | histogram | job_type, outcome |
| job_attempts | histogram | job_type |
| job_in_progress | gauge | job_type |
| job_retry_total | counter | job_type, error_class |
| job_failure_total | counter | job_type, error_class |
| job_canceled_total | counter | job_type |
| job_stage_time_seconds | histogram | job_type, stage |`;

const LEASE_NAMES = [
  'claims_total',
  'claim_conflicts_total',
  'lease_renewals_total',
  'lease_expiries_total',
  'retries_total',
  'failures_total',
  'dlq_count',
];

test('[T18] the nine metrics have the names, types and labels of the document, and no others', () => {
  const rows = TASK_TABLE.trim().split('\n');
  assert.equal(rows.length, 9);
  const ours = Object.values(METRICS)
    .filter(({ name }) => name.startsWith('job_'))
    .map(({ name, type, labels }) => `| ${name} | ${type} | ${labels.join(', ')} |`);
  assert.deepEqual(ours, rows);
});

test('[R22] the metrics of leases, retries, failures and dead letters are there by their names', () => {
  for (const name of LEASE_NAMES) {
    const { type } = METRICS[name as keyof typeof METRICS];
    assert.equal(type, name.endsWith('_total') ? 'counter' : 'gauge', name);
  }
  assert.deepEqual(METRICS.pawl_slo_duration_seconds.labels, ['job_type', 'window', 'quantile']);
});

test('every metric of the registry is well named, explained, and told by known labels', () => {
  for (const [key, { name, type, help, labels }] of Object.entries(METRICS)) {
    assert.equal(key, name);
    assert.equal(name.endsWith('_total'), type === 'counter', name);
    assert.match(help, /^[A-Z0-9].{5,}/);
    for (const label of labels) {
      assert.ok(Object.hasOwn(LABELS, label), `${name} ${label}`);
      assert.doesNotMatch(label, /(?:^|_)id$|tenant|user/, 'a label is never an id');
    }
  }
});

test('[T18] a job is counted when it is accepted, begun, retried, ended, and by how long it took', async () => {
  const { world, meter } = await openCounted({ types: { export: { lifecycle: 'task' } } });
  await world.enqueue('export');
  const first = await world.claimOne('w1', 'export');
  world.advance(4_000);
  await world.fail(first, 'network_timeout');
  world.advance(60_000);
  await world.sweep();
  const second = await world.claimOne('w1', 'export');
  world.advance(2_000);
  await world.complete(second);
  const type = 'job_type="export"';
  const samples = await samplesOf(meter);
  const of = (name: string) => samples.get(name);
  assert.equal(of(`job_enqueue_total{${type}}`), 1);
  assert.equal(of(`job_start_total{${type}}`), 1, 'a retry is not another job');
  assert.equal(of(`job_retry_total{${type},error_class="network_timeout"}`), 1);
  assert.equal(of(`job_duration_seconds_count{${type},outcome="succeeded"}`), 1);
  assert.equal(of(`job_duration_seconds_sum{${type},outcome="succeeded"}`), 66);
  assert.equal(of(`job_attempts_sum{${type}}`), 2);
  assert.equal(of(`claims_total{${type}}`), 2);
});

test('[T18] failures are counted by class once they are final, cancellations by themselves', async () => {
  const { world, meter } = await openCounted({ types: { export: { lifecycle: 'task' } } });
  await world.enqueue('export');
  await world.fail(await world.claimOne('w1', 'export'), 'unsupported_format');
  await world.cancel(await world.enqueue('export'));
  assert.deepEqual(
    await valuesOf(meter, [
      'job_failure_total{job_type="export",error_class="unsupported_format"}',
      'failures_total{job_type="export"}',
      'job_retry_total{job_type="export",error_class="unsupported_format"}',
      'job_canceled_total{job_type="export"}',
      'job_duration_seconds_count{job_type="export",outcome="failed"}',
      'job_duration_seconds_count{job_type="export",outcome="canceled"}',
    ]),
    [1, 1, 0, 1, 1, 0],
  );
});

test('[R22, R35] claims, renewals, conflicts, expiries and retries are counted as they happen', async () => {
  const { world, meter } = await openCounted({ types: { index: { lifecycle: 'distributed' } } });
  await world.enqueue('index');
  const lost = await world.claimOne('w1', 'index');
  await world.start(lost);
  await world.renew(lost);
  await world.renew(lost);
  world.advance(300_000);
  await world.sweep();
  await assert.rejects(world.renew(lost), { code: 'LEASE_LOST' });
  await assert.rejects(world.complete(lost), { code: 'LEASE_LOST' });
  world.advance(60_000);
  await world.sweep();
  await world.start(await world.claimOne('w2', 'index'));
  assert.deepEqual(
    await valuesOf(meter, [
      'claims_total{job_type="index"}',
      'job_start_total{job_type="index"}',
      'lease_renewals_total',
      'claim_conflicts_total',
      'lease_expiries_total{job_type="index"}',
      'retries_total{job_type="index"}',
      'pawl_transitions_total{lifecycle="distributed",event="job_started"}',
    ]),
    [2, 1, 2, 2, 1, 1, 2],
  );
});

test('[R35] a claim that is repeated after a lost answer is counted once', async () => {
  const { world, meter } = await openCounted({ types: { export: { lifecycle: 'task' } } });
  await world.enqueue('export');
  for (let time = 0; time < 3; time++) {
    const again = await world.claim('w1', 'export', { requestId: 'r1' });
    assert.equal(again.length, 1);
    world.advance(5);
  }
  assert.deepEqual(await valuesOf(meter, ['claims_total{job_type="export"}']), [1]);
});

test('jobs of schedules and replays are counted as accepted too', async () => {
  const { world, meter } = await openCounted({ types: { index: { lifecycle: 'distributed' } } });
  const caller = { tenant: 'acme', principal: null };
  const rule = { kind: 'interval' as const, everyMs: 60_000 };
  await world.engine.schedules.put({ name: 'nightly', caller }, { rule, job: { type: 'index' } });
  world.advance(61_000);
  await world.engine.sweepSchedules();
  const claim = await world.claimOne('w1', 'index');
  const refused = { ref: claim.job, actor: 'api', reason: 'timeout' as const, message: 'x' };
  await world.engine.deadLetter(refused);
  const [letter] = await world.engine.deadLetters({ tenant: 'acme', limit: 1 });
  await world.engine.replay({ caller, deadLetterId: letter!.id });
  assert.deepEqual(await valuesOf(meter, ['job_enqueue_total{job_type="index"}']), [2]);
});

test('a label has so many values in a process and no more: what comes beyond is "other"', async () => {
  const meter = new Meter({ withProcess: false });
  for (let number = 0; number < LABELS.job_type + 50; number++) {
    meter.add('job_enqueue_total', { job_type: `t${number}` });
  }
  const samples = await samplesOf(meter);
  assert.equal(samples.get('job_enqueue_total{job_type="other"}'), 50);
  const types = [...samples.keys()].filter((name) => name.startsWith('job_enqueue_total'));
  assert.equal(types.length, LABELS.job_type + 1);
});

test('what is not text of a metric is told so that the text stays readable', async () => {
  const meter = new Meter({ withProcess: false });
  meter.add('job_enqueue_total', { job_type: 'a"b\\c\nd' });
  assert.match(await meter.scrape(), /job_type="a\\"b\\\\c\\nd"\} 1/);
});

test('[T18] the time of a stage of a remote worker is told by the server that saw it begin and end', async () => {
  const one = await openCounted({ types: { export: { lifecycle: 'task' } } });
  const two = countedOn(one.world);
  await one.world.enqueue('export');
  const claim = await one.world.claimOne('w1', 'export');
  const enter = async ({ world }: typeof one, stage: string) => {
    await world.renew(claim, { stage });
    world.advance(2_000);
    await world.renew(claim, { stage });
  };
  await enter(one, 'plan');
  await enter(one, 'render');
  await enter(two, 'upload');
  await enter(one, 'finish');
  await one.world.complete(claim);
  const seconds = async ({ meter }: typeof one) =>
    valuesOf(
      meter,
      ['plan', 'render', 'upload', 'finish'].map(
        (stage) => `job_stage_time_seconds_sum{job_type="export",stage="${stage}"}`,
      ),
    );
  assert.deepEqual(await seconds(one), [2, 0, 0, 2], 'what began here and ended elsewhere is not');
  assert.deepEqual(await seconds(two), [0, 0, 0, 0]);
});

for (const server of await postgresServers()) {
  test(`a write that does not commit is seen as lag of the log, a stranger's is not, on ${server.label}`, async () => {
    const database = await freshDatabase(server);
    const { default: pg } = await import('pg');
    const stranger = new pg.Client(database.url);
    const lifecycles = builtInLifecycles;
    const store = await openPostgresStore({ url: database.url, lifecycles });
    try {
      await stranger.connect();
      await stranger.query('BEGIN');
      await stranger.query('SELECT pg_current_xact_id()');
      const writer = new pg.Client(database.url);
      await writer.connect();
      const draw = async (): Promise<void> => {
        await writer.query('BEGIN; SET LOCAL search_path = pawl; SELECT draw()');
      };
      const engine = new Engine(
        openContext({
          store,
          lifecycles,
          random: systemRandom,
          ids: systemIds(systemClock),
        }),
      );
      await engine.putType({ tenant: 'acme', type: 'export' }, { lifecycle: 'task' });
      const caller = { tenant: 'acme', principal: null };
      await engine.enqueue([{ type: 'export' }], { caller });
      const lag = async () => (await store.maintenance.vitals()).tailLagMs;
      assert.equal(await lag(), 0, "a stranger's transaction holds nothing back");
      await draw();
      await engine.enqueue([{ type: 'export' }], { caller });
      await eventually('the log is held back', async () => (await lag()) > 0);
      await writer.end();
      await eventually('the log goes on', async () => (await lag()) === 0);
    } finally {
      await stranger.end();
      await store.close();
      await database.drop();
    }
  });
}

for (const { label, open } of stores) {
  test(`[T18, R22] two processes on ${label} count their own and tell the same of the database`, async () => {
    const types = { convert: { lifecycle: 'task' }, index: { lifecycle: 'distributed' } };
    const one = countedOn(await openWorld({ store: open, types }));
    const two = countedOn(one.world);
    for (const each of [one, two]) watchDatabase(each.meter, each.world.context, 0);
    await one.world.enqueue('convert', null, { queue: 'slow' });
    await two.world.enqueue('convert', null, { queue: 'slow', priority: 'high' });
    await two.world.claimOne('w1', 'convert');
    one.world.advance(3_000);
    const { id } = await one.world.enqueue('index');
    const asked = { ref: { tenant: 'acme', id }, actor: 'api', message: 'x' };
    await one.world.engine.deadLetter({ ...asked, reason: 'timeout' });
    const own = 'job_enqueue_total{job_type="convert"}';
    const shared = [
      'job_in_progress{job_type="convert"}',
      'pawl_queue_depth{queue="slow",priority="normal"}',
      'pawl_queue_oldest_seconds{queue="slow"}',
      'dlq_count{job_type="index"}',
    ];
    for (const { meter } of [one, two]) {
      assert.deepEqual(await valuesOf(meter, [own]), [1]);
      assert.deepEqual(await valuesOf(meter, shared), [1, 1, 3, 1]);
    }
    const names = [...(await samplesOf(one.meter)).keys()].filter((name) =>
      /postgres|sqlite/.test(name),
    );
    assert.ok(names.length >= 3, names.join());
    assert.ok((await samplesOf(one.meter)).has('pawl_tail_lag_seconds'));
    await one.world.close();
  });
}
