// The page about metrics, made of the registry.
import {
  LABELS,
  type LabelName,
  type MetricDefinition,
} from '@pawl/server/internal/metrics/definition';
import { METRICS } from '@pawl/server/internal/metrics/registry';
import { ALERTS, WINDOWS } from 'pawl/internal/contract/slo-window';

const HEAD = `# Metrics

\`GET /metrics\` answers with Prometheus text. The metrics cover all tenants: where credentials are
required, the request needs one of the home tenant with the scope \`metrics:read\`.
\`PAWL_METRICS_PORT\` opens a second port without credentials. Counters and histograms are per
process: sum them. Gauges marked *shared* are read from the database and are the same in every
process: take their maximum. Metrics of the process (\`process_…\`, \`nodejs_…\`) are included.
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
    'The number of values of a label is limited per process; further values become `other`. No',
    'label is an id.',
    '',
    '| label | maximum number of values |',
    '|---|---|',
    ...Object.keys(LABELS).map(labelRow),
    '',
    '## SLOs',
    '',
    `Measured over ${windows}; the targets of a type are for the last of them. A burn rate of 1`,
    'spends the error budget of a week in a week. Alerts fire at a burn rate of',
    `${alerts}.`,
    '',
  ].join('\n');
}
