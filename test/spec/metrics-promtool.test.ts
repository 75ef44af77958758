// The alert rules and the queries of the dashboard, read by Prometheus' own tool.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { findProgram } from '../../scripts/peers/debian.ts';
import { inRepository } from '../../scripts/run/repository.ts';

const PROMTOOL = {
  names: ['promtool'],
  package: 'prometheus',
  variable: 'PAWL_TEST_PROMTOOL',
} as const;
const promtool = await findProgram(PROMTOOL);
const skip =
  promtool === null && 'there is no promtool here: install prometheus, or set PAWL_TEST_PROMTOOL';

const folder = mkdtempSync(join(tmpdir(), 'pawl-promtool-'));
after(() => rmSync(folder, { recursive: true }));

const RULES = inRepository('ops/alerts/pawl.yml');
const names = [...readFileSync(RULES, 'utf8').matchAll(/^ {6}- alert: (\w+)$/gm)].map(
  ([, name]) => name!,
);

interface Board {
  readonly schemaVersion: number;
  readonly uid: string;
  readonly id?: null;
  readonly templating: {
    readonly list: readonly { readonly name: string; readonly type: string }[];
  };
  readonly panels: readonly {
    readonly id: number;
    readonly type: string;
    readonly title: string;
    readonly datasource?: { readonly type: string; readonly uid: string };
    readonly targets?: readonly { readonly refId: string; readonly expr: string }[];
  }[];
}

const board = JSON.parse(readFileSync(inRepository('ops/grafana/pawl.json'), 'utf8')) as Board;

/** Runs promtool on a file, or on a value that is written to one: JSON is YAML, too. */
function run(words: readonly string[], value: string | object): string {
  const file = typeof value === 'string' ? value : join(folder, 'value.json');
  if (typeof value !== 'string') writeFileSync(file, JSON.stringify(value));
  try {
    return execFileSync(promtool!, [...words, file], { encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    return assert.fail(`promtool ${words.join(' ')}:\n${stdout}${stderr}`);
  }
}

/** By minute, for an hour and a half: a value that stays, or a counter that grows. */
const stays = (value: number): string => `${value}x90`;
const grows = (step: number): string => `0+${step}x90`;

/** What has to be measured for an alert to fire: series by name. */
const TROUBLE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  PawlErrorBudgetBurnsFast: { 'pawl_slo_alert{job_type="a",alert="fast"}': stays(1) },
  PawlErrorBudgetBurnsSlowly: { 'pawl_slo_alert{job_type="a",alert="slow"}': stays(1) },
  PawlDurationAboveTarget: {
    'pawl_slo_duration_seconds{job_type="a",quantile="0.95",window="1d"}': stays(9),
    'pawl_slo_duration_target_seconds{job_type="a",quantile="0.95"}': stays(5),
  },
  PawlQueueNotServed: { 'pawl_queue_oldest_seconds{queue="a"}': stays(301) },
  PawlDeadLetters: { 'dlq_count{job_type="a"}': grows(1) },
  PawlLeasesExpire: {
    'lease_expiries_total{job_type="a"}': grows(6),
    'claims_total{job_type="a"}': grows(100),
  },
  PawlClaimConflicts: { claim_conflicts_total: grows(120) },
  PawlStoreFails: {
    'pawl_store_seconds_count{verb="claim",result="error"}': grows(2),
    'pawl_store_seconds_count{verb="claim",result="ok"}': grows(100),
  },
  PawlStoreSlow: {
    'pawl_store_seconds_bucket{verb="claim",le="1"}': grows(0),
    'pawl_store_seconds_bucket{verb="claim",le="5"}': grows(60),
    'pawl_store_seconds_bucket{verb="claim",le="+Inf"}': grows(60),
  },
  PawlLogNotReadable: { pawl_tail_lag_seconds: stays(61) },
  PawlDeadRowsKept: { pawl_postgres_horizon_seconds: stays(601) },
  PawlSlotKeepsDeadRows: { pawl_postgres_horizon_transactions: stays(6e6) },
  PawlRowsNotFrozen: { pawl_postgres_transaction_age: stays(1.1e9) },
  PawlMultixactsNotFrozen: { pawl_postgres_multixact_age: stays(1.1e9) },
  PawlFollowerBehind: { 'pawl_follower_lag_seconds{follower="webhooks"}': stays(301) },
  PawlHttpErrors: {
    'pawl_http_request_seconds_count{status="5xx"}': grows(3),
    'pawl_http_request_seconds_count{status="2xx"}': grows(97),
  },
  PawlConnectionsExhausted: { pawl_postgres_pool_waiting: stays(11) },
  PawlWriteAheadLogGrows: { pawl_sqlite_wal_bytes: stays(1.1e9) },
};

/** A case for `promtool test rules`: these alerts fire after 80 minutes, and no others. */
function caseOf(series: Readonly<Record<string, string>>, firing: readonly string[]): object {
  return {
    interval: '1m',
    input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
    promql_expr_test: [
      {
        expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
        eval_time: '80m',
        exp_samples: firing.map((name) => ({ labels: `{alertname="${name}"}`, value: 1 })),
      },
    ],
  };
}

test('promtool accepts the alert rules', { skip }, () => {
  assert.match(run(['check', 'rules'], RULES), new RegExp(`SUCCESS: ${names.length} rules found`));
});

test('each alert fires for its trouble and for no other', { skip }, () => {
  assert.deepEqual(Object.keys(TROUBLE), names);
  const cases = Object.entries(TROUBLE).map(([name, series]) => caseOf(series, [name]));
  run(['test', 'rules'], { rule_files: [RULES], evaluation_interval: '1m', tests: cases });
});

test('no alert fires on a platform that works', { skip }, () => {
  const quiet = Object.values(TROUBLE).flatMap((series) =>
    Object.keys(series).map((name) => [
      name,
      /result="ok"|2xx|claims/.test(name) ? grows(100) : stays(0),
    ]),
  );
  const cases = [caseOf(Object.fromEntries(quiet) as Record<string, string>, [])];
  run(['test', 'rules'], { rule_files: [RULES], evaluation_interval: '1m', tests: cases });
});

test('every query of the Grafana dashboard is PromQL', { skip }, () => {
  const rules = board.panels.flatMap(({ id, targets = [] }) =>
    targets.map(({ refId, expr }) => ({
      record: `pawl:panel_${id}_${refId}`,
      // What Grafana fills in.
      expr: expr.replaceAll('$__rate_interval', '5m'),
    })),
  );
  assert.ok(rules.length > 50);
  const said = run(['check', 'rules'], { groups: [{ name: 'board', rules }] });
  assert.match(said, new RegExp(`SUCCESS: ${rules.length} rules found`));
});

test('the Grafana dashboard can be imported: it asks for its data source and names no other', () => {
  assert.equal(board.id ?? null, null, 'an id is of one Grafana only');
  assert.match(board.uid, /^[\w-]{1,40}$/);
  assert.ok(Number.isInteger(board.schemaVersion));
  const [variable] = board.templating.list.filter(({ type }) => type === 'datasource');
  for (const { title, type, datasource, targets = [] } of board.panels) {
    if (type === 'row') continue;
    const own = { type: 'prometheus', uid: `\${${variable!.name}}` };
    assert.deepEqual(datasource, own, title);
    const ids = targets.map(({ refId }) => refId);
    assert.equal(new Set(ids).size, ids.length, `${title}: each query has a letter of its own`);
  }
});
