// The page about metrics, made of the registry.
import {
  LABELS,
  type LabelName,
  type MetricDefinition,
} from '@pawl/server/internal/metrics/definition';
import { METRICS } from '@pawl/server/internal/metrics/registry';
import { ALERTS, WINDOWS } from 'pawl/internal/contract/slo-window';

const HEAD = `# Metrics

Told at \`GET /metrics\` as Prometheus text. They are of all tenants together: where credentials
are asked for it needs one of the home tenant with the scope \`metrics:read\`;
\`PAWL_METRICS_PORT\` opens a second port that asks for none. Counters and histograms are those of
one process: add them up. Gauges marked *shared* are told by the database and are the same in every
process: take their maximum. Metrics of the process itself (\`process_…\`, \`nodejs_…\`) come along.
[A dashboard](../../ops/grafana/pawl.json) and [alert rules](../../ops/alerts/pawl.yml) use them.

This page is made by \`npm run reference\`; a test keeps it equal to the registry.
`;

function rowOf({ name, type, labels, help, isShared }: MetricDefinition): string {
  const kind = isShared === true ? `${type}, shared` : type;
  const list = labels.map((label) => `\`${label}\``).join(', ') || '–';
  return `| \`${name}\` | ${kind} | ${list} | ${help} |`;
}

function labelRow(label: string): string {
  return `| \`${label}\` | ${LABELS[label as LabelName]} |`;
}

/** docs/reference/metrics.md, whole. */
export function metricsPage(): string {
  const windows = WINDOWS.map(({ name }) => name).join(', ');
  const alerts = ALERTS.map(
    ({ name, long, short, burnRate }) => `\`${name}\`: ${burnRate} over ${long} and over ${short}`,
  ).join('; ');
  return [
    HEAD,
    '| metric | type | labels | meaning |',
    '|---|---|---|---|',
    ...Object.values(METRICS).map(rowOf),
    '',
    '## Labels',
    '',
    'A label has at most so many values in one process; what comes beyond is told as `other`. No',
    'label is ever an id.',
    '',
    '| label | values at most |',
    '|---|---|',
    ...Object.keys(LABELS).map(labelRow),
    '',
    '## Promises',
    '',
    `Measured over ${windows}; what a type promises is over the last of them. A burn rate of 1`,
    'spends the error budget of a week in a week. Alerts fire at a burn rate of',
    `${alerts}.`,
    '',
  ].join('\n');
}
