// Grafana reads members that it does not know without a word, and shows nothing: the rules of its
// dashboard schema (kinds/dashboard, schema version 39), as far as the board uses them.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { inRepository } from '../../scripts/run/repository.ts';

type Members = Readonly<Record<string, unknown>>;

const ROOT =
  words(`id uid title description revision gnetId tags timezone editable graphTooltip time
  timepicker fiscalYearStartMonth liveNow weekStart refresh schemaVersion version panels templating
  annotations links snapshot`);
const PANEL = words(`type id pluginVersion targets title description transparent datasource gridPos
  links repeat repeatDirection maxPerRow maxDataPoints transformations interval timeFrom timeShift
  hideTimeOverride libraryPanel cacheTimeout queryCachingTTL options fieldConfig`);
const ROW = words('type collapsed title datasource gridPos id panels repeat');
const TARGET = words(
  'refId expr legendFormat instant range format interval hide datasource exemplar',
);
/** Panels that every Grafana has without a plug-in to install. */
const CORE_PANELS = words('timeseries stat gauge bargauge barchart table heatmap text');
/** Of Grafana's list of units. */
const UNITS = words('short ops s ms bytes percentunit none');

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/));
}

function hasOnly(value: Members, known: ReadonlySet<string>, of: string): void {
  assert.deepEqual(
    Object.keys(value).filter((name) => !known.has(name)),
    [],
    `${of} has members that Grafana does not know`,
  );
}

/** The first fault, thrown. */
function checkBoard(board: Members): void {
  hasOnly(board, ROOT, 'the dashboard');
  assert.match(String(board['refresh']), /^\d+[smh]$/);
  const panels = board['panels'] as readonly Members[];
  for (const panel of panels) {
    const of = String(panel['title']);
    if (panel['type'] === 'row') {
      hasOnly(panel, ROW, of);
      continue;
    }
    hasOnly(panel, PANEL, of);
    assert.ok(CORE_PANELS.has(String(panel['type'])), `${of}: ${String(panel['type'])}`);
    const { defaults, overrides } = panel['fieldConfig'] as {
      defaults: Members;
      overrides: unknown;
    };
    assert.ok(UNITS.has(String(defaults['unit'])), `${of}: ${String(defaults['unit'])}`);
    assert.ok(Array.isArray(overrides), of);
    for (const target of panel['targets'] as readonly Members[]) {
      hasOnly(target, TARGET, of);
      assert.match(String(target['refId']), /^[A-Z]$/, of);
    }
  }
}

const board = JSON.parse(readFileSync(inRepository('ops/grafana/pawl.json'), 'utf8')) as Members;

test("the Grafana dashboard keeps the rules of Grafana's schema", () => {
  checkBoard(board);
});

test('a member, a panel or a unit that Grafana does not know is found', () => {
  const [row, panel] = board['panels'] as readonly [Members, Members];
  const withPanel = (more: Members) => ({ ...board, panels: [row, { ...panel, ...more }] });
  assert.throws(() => checkBoard({ ...board, tytle: '' }), /tytle/);
  assert.throws(() => checkBoard(withPanel({ type: 'graph-panel' })), /graph-panel/);
  const fieldConfig = { defaults: { unit: 'seconds' }, overrides: [] };
  assert.throws(() => checkBoard(withPanel({ fieldConfig })), /seconds/);
});
