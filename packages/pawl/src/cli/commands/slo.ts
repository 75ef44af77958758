import type { Command } from 'commander';
import type { SloJson } from '../../contract/slo.ts';
import { type Given, isForPrograms, onServer, type Session } from '../session.ts';
import { barText } from '../terminal/bar.ts';
import type { Screen } from '../terminal/screen.ts';
import { type Column, tableLines } from '../terminal/table.ts';
import { durationText } from '../terminal/words.ts';

type Window = SloJson['windows'][number];

interface Row extends Window {
  readonly slo: SloJson;
}

const BUDGET_CELLS = 10;

function columnsFor(screen: Screen): Column<Row>[] {
  const within = (ms: number | null, max: number | null, text: string): string =>
    ms !== null && max !== null && ms > max ? screen.paint('red', text) : text;
  const time = (ms: number | null): string | null => (ms === null ? null : durationText(ms));
  return [
    { title: 'TYPE', text: ({ slo }) => slo.type },
    { title: 'OVER', text: ({ window }) => window },
    { title: 'JOBS', text: ({ counts }) => counts.succeeded + counts.failed, isRight: true },
    {
      title: 'P50',
      text: ({ p50Ms }) => time(p50Ms),
      paint: ({ p50Ms, slo }, text) => within(p50Ms, slo.target.p50Ms, text),
      isRight: true,
    },
    {
      title: 'P95',
      text: ({ p95Ms }) => time(p95Ms),
      paint: ({ p95Ms, slo }, text) => within(p95Ms, slo.target.p95Ms, text),
      isRight: true,
    },
    {
      title: 'P99',
      text: ({ p99Ms }) => time(p99Ms),
      paint: ({ p99Ms, slo }, text) => within(p99Ms, slo.target.p99Ms, text),
      isRight: true,
    },
    {
      title: 'FAILING',
      text: ({ failureRate }) =>
        failureRate === null ? null : `${Number((100 * failureRate).toFixed(2))} %`,
      isRight: true,
    },
    { title: 'BURN', text: ({ burnRate }) => burnRate?.toFixed(1) ?? null, isRight: true },
    {
      title: 'BUDGET LEFT',
      text: ({ slo }) => barText(slo.errorBudgetRemaining, BUDGET_CELLS),
      paint: ({ slo }, text) =>
        screen.paint(slo.errorBudgetRemaining > 0.2 ? 'green' : 'red', text),
    },
  ];
}

async function list(session: Session, { options }: Given<{ type?: string }>): Promise<void> {
  const { screen } = session;
  const items = await session.client.all<SloJson>('/v1/slo', { type: options.type });
  if (isForPrograms(session, items)) return;
  if (items.length === 0) return screen.talk('No type has run or has an SLO yet.');
  const rows = items.flatMap((slo) => slo.windows.map((window) => ({ ...window, slo })));
  for (const line of tableLines(screen, columnsFor(screen), rows)) screen.data(line);
}

/** `pawl slo`. */
export function addSlo(program: Command): void {
  program
    .command('slo')
    .description('show durations, failure rates and remaining error budgets by type')
    .option('--type <type>', 'of this type')
    .action(onServer(list));
}
