// The dashboard, the alert rules and the page about metrics tell of what is there.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { inRepository } from '../../scripts/run/repository.ts';
import { metricsPage } from '../../scripts/metrics/page.ts';
import { Meter } from '@pawl/server/internal/metrics/meter';
import { METRICS } from '@pawl/server/internal/metrics/registry';
import { samplesOf } from './metrics-fixture.ts';

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: { x: number; y: number; w: number; h: number };
  readonly targets?: readonly { expr: string; legendFormat: string }[];
}

const dashboard = JSON.parse(readFileSync(inRepository('ops/grafana/pawl.json'), 'utf8')) as {
  panels: Panel[];
};
const rules = readFileSync(inRepository('ops/alerts/pawl.yml'), 'utf8');

/** Words of PromQL that are neither metric nor label. */
const WORDS = new Set('sum max min by rate delta histogram_quantile'.split(' '));
/** What Prometheus adds by itself. */
const SCRAPED = ['instance', 'job'];

interface Use {
  readonly metric: string;
  readonly labels: string[];
}

/** The metrics of an expression, each with the labels it is asked for or grouped by. */
function usesOf(expr: string): Use[] {
  const groups = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list]) => list!.split(/, */));
  const bare = expr.replaceAll(/\bby \([^)]*\)/g, '').replaceAll(/\[[^\]]*\]/g, '');
  const names = [...bare.matchAll(/\b([a-z_]\w*)(\{[^}]*\})?/gi)];
  return names.flatMap(([, name, matchers = '']) => {
    if (WORDS.has(name!)) return [];
    const matched = [...matchers.matchAll(/([a-z_]+)\s*[=!]/g)].map(([, label]) => label!);
    return [{ metric: name!, labels: [...matched, ...groups] }];
  });
}

async function knownNames(): Promise<Map<string, readonly string[]>> {
  const own: [string, readonly string[]][] = Object.values(METRICS).flatMap(
    ({ name, type, labels }): [string, readonly string[]][] =>
      type === 'histogram'
        ? [
            [`${name}_bucket`, [...labels, 'le']],
            [`${name}_sum`, labels],
            [`${name}_count`, labels],
          ]
        : [[name, labels]],
  );
  const ofProcess = [...(await samplesOf(new Meter())).keys()].map((sample) => {
    return [sample.replace(/\{.*/, ''), []] as [string, readonly string[]];
  });
  return new Map([...ofProcess, ...own]);
}

function checkExpression(expr: string, known: Map<string, readonly string[]>): string[] {
  const uses = usesOf(expr);
  assert.ok(uses.length > 0, `no metric in ${expr}`);
  for (const { metric, labels } of uses) {
    const has = known.get(metric);
    assert.ok(has !== undefined, `${metric} is in no registry: ${expr}`);
    for (const label of labels) {
      assert.ok([...has, ...SCRAPED].includes(label), `${metric} has no label ${label}: ${expr}`);
    }
  }
  return uses.flatMap(({ metric }) => [metric, metric.replace(/_(?:bucket|count|sum)$/, '')]);
}

test('the dashboard uses only metrics and labels that are there, and shows each of our metrics', async () => {
  const known = await knownNames();
  const shown = new Set<string>();
  for (const { title, targets = [], type } of dashboard.panels) {
    assert.ok(type === 'row' || targets.length > 0, title);
    for (const { expr, legendFormat } of targets) {
      for (const metric of checkExpression(expr, known)) shown.add(metric);
      for (const [, label] of legendFormat.matchAll(/\{\{(\w+)\}\}/g)) {
        const isKept = new RegExp(`by \\([^)]*\\b${label}\\b`).test(expr);
        assert.ok(isKept || SCRAPED.includes(label!), `${title}: {{${label}}}`);
      }
    }
  }
  const unseen = Object.keys(METRICS).filter((name) => !shown.has(name));
  assert.deepEqual(unseen, []);
});

test('the panels of the dashboard have ids of their own and lie beside each other', () => {
  const { panels } = dashboard;
  assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
  const taken = new Set<string>();
  for (const { title, gridPos } of panels) {
    const { x, y, w, h } = gridPos;
    assert.ok(x >= 0 && x + w <= 24, title);
    for (let column = x; column < x + w; column++) {
      for (let line = y; line < y + h; line++) {
        assert.ok(!taken.has(`${column} ${line}`), `${title} lies on another panel`);
        taken.add(`${column} ${line}`);
      }
    }
  }
});

test('every alert rule uses what is there, says how urgent it is, and what to do', async () => {
  const known = await knownNames();
  const blocks = rules.split(/^ {6}- alert: /m).slice(1);
  assert.ok(blocks.length >= 10);
  const names = blocks.map((block) => block.split('\n')[0]!);
  assert.equal(new Set(names).size, names.length);
  for (const block of blocks) {
    const name = block.split('\n')[0]!;
    const [, expr] = /^ {8}expr: (.+)$/m.exec(block) ?? [];
    assert.ok(expr, name);
    checkExpression(expr, known);
    assert.match(block, /^ {10}severity: (?:page|ticket)$/m, name);
    const [, summary = ''] = /^ {10}summary: ['"](.+)['"]$/m.exec(block) ?? [];
    assert.match(block, /^ {10}description: ['"].{20,}['"]$/m, name);
    for (const [, label] of summary.matchAll(/\$labels\.(\w+)/g)) {
      assert.ok(new RegExp(`by \\([^)]*\\b${label}\\b`).test(expr), `${name}: ${label}`);
    }
  }
});

test('a metric or label that is not there is found', async () => {
  const known = await knownNames();
  assert.throws(() => checkExpression('sum by (job_type) (rate(job_enqueud_total[5m]))', known));
  assert.throws(() => checkExpression('max by (tenant) (job_in_progress)', known));
  assert.throws(() => checkExpression('pawl_slo_burn_rate{windw="1h"}', known));
});

test('[T18] the page about metrics tells what the registry tells', () => {
  const page = readFileSync(inRepository('docs/reference/metrics.md'), 'utf8');
  assert.equal(page, metricsPage(), 'run: npm run reference');
});
