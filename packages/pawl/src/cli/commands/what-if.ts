import type { Command } from 'commander';
import type { WhatIfFiguresJson, WhatIfJson } from '../../contract/what-if.ts';
import { type GlobalOptions, openSession } from '../session.ts';
import { UsageError } from '../exit-code.ts';
import type { Screen } from '../terminal/screen.ts';
import { sparkText } from '../terminal/spark.ts';
import { type Column, tableLines } from '../terminal/table.ts';
import { countText, durationText } from '../terminal/words.ts';
import { askedBy, type WhatIfOptions } from './what-if-changes.ts';

type Compared = WhatIfJson['total'];
type Figure = keyof WhatIfFiguresJson;
type Name = keyof Compared;

const COURSES: readonly (readonly [Name, string])[] = [
  ['real', 'REALLY'],
  ['replayed', 'REPLAYED'],
  ['whatIf', 'WHAT-IF'],
];

const count = (value: number): string => String(Math.round(value * 10) / 10);

const ROWS: readonly (readonly [string, Figure, (value: number) => string])[] = [
  ['backlog, most', 'backlogMax', count],
  ['backlog, mean', 'backlogMean', count],
  ['wait p50', 'waitP50Ms', durationText],
  ['wait p95', 'waitP95Ms', durationText],
  ['wait p99', 'waitP99Ms', durationText],
  ['latency p50', 'latencyP50Ms', durationText],
  ['latency p95', 'latencyP95Ms', durationText],
  ['jobs ended', 'ended', String],
  ['ended a second', 'endedPerSecond', (value) => value.toPrecision(3)],
  ['waiting at the end', 'waitingAtEnd', String],
  ['slots in use', 'utilisation', (share) => `${Math.round(share * 100)} %`],
];

function coursesOf({ total }: WhatIfJson): readonly (readonly [Name, string])[] {
  return COURSES.filter(([name]) => total[name] !== null);
}

function textOf(compared: Compared, name: Name, [, figure, show]: (typeof ROWS)[number]): string {
  const value = compared[name]?.[figure] ?? null;
  return value === null ? '–' : show(value);
}

function totalLines(screen: Screen, report: WhatIfJson): string[] {
  const columns: Column<(typeof ROWS)[number]>[] = [
    { title: '', text: ([title]) => title },
    ...coursesOf(report).map(([name, title]) => ({
      title,
      text: (row: (typeof ROWS)[number]) => textOf(report.total, name, row),
      isRight: true,
    })),
  ];
  return tableLines(screen, columns, ROWS);
}

const GROUP_ROWS = ROWS.filter(([, figure]) => figure === 'waitP95Ms' || figure === 'latencyP95Ms');

function groupLines(
  screen: Screen,
  report: WhatIfJson,
  [title, groups]: readonly [string, WhatIfJson['types']],
): string[] {
  if (groups.length === 0) return [];
  const rows = groups.flatMap((group) => GROUP_ROWS.map((row) => ({ group, row })));
  const columns: Column<(typeof rows)[number]>[] = [
    { title, text: ({ group, row }) => (row === GROUP_ROWS[0] ? group.name : '') },
    { title: '', text: ({ row: [text] }) => text },
    ...coursesOf(report).map(([name, heading]) => ({
      title: heading,
      text: ({ group, row }: (typeof rows)[number]) => textOf(group, name, row),
      isRight: true,
    })),
  ];
  return ['', ...tableLines(screen, columns, rows)];
}

function chartLines(screen: Screen, report: WhatIfJson): string[] {
  const { backlog } = report;
  const courses = coursesOf(report);
  const max = Math.max(...courses.flatMap(([name]) => backlog[name] ?? []));
  if (max === 0) return [];
  return [
    '',
    screen.paint('dim', `BACKLOG, up to ${count(max)} on average of a bar`),
    ...courses.map(([name, title]) => {
      return `${title.toLowerCase().padEnd(9)} ${sparkText(backlog[name] ?? [], max)}`;
    }),
  ];
}

/** How far the replay is from what really happened, which is how far to trust the rest. */
function trustText({ total: { real, replayed } }: WhatIfJson): string {
  const [was, is] = [real.waitP95Ms, replayed.waitP95Ms];
  if (was === null || is === null) return 'No job waited: there is nothing to compare.';
  const off = durationText(Math.abs(is - was));
  const share = was === 0 ? '' : ` (${Math.round((Math.abs(is - was) / was) * 100)} %)`;
  return `The replay is ${off}${share} off the real p95 of the wait: trust the what-if as far.`;
}

function show(screen: Screen, report: WhatIfJson): void {
  if (screen.isJson) return screen.json(report);
  const { from, to, jobs, fleet } = report;
  const sizes = ({ workers, slots }: WhatIfJson['fleet']['real']): string =>
    `${countText(workers, 'worker')} with ${countText(slots, 'slot')}`;
  const than = fleet.whatIf === null ? '' : `; what-if: ${sizes(fleet.whatIf)}`;
  screen.data(`${from} to ${to}: ${countText(jobs, 'job')}, ${sizes(fleet.real)}${than}`);
  screen.data('');
  for (const line of [
    ...totalLines(screen, report),
    ...groupLines(screen, report, ['TYPE', report.types]),
    ...groupLines(screen, report, ['QUEUE', report.queues]),
    ...chartLines(screen, report),
  ]) {
    screen.data(line);
  }
  screen.talk(trustText(report));
  for (const note of report.notes) screen.talk(note);
}

interface Place extends GlobalOptions {
  readonly direct?: boolean;
  readonly tenant?: string;
}

async function run(options: WhatIfOptions & Place): Promise<void> {
  const { direct = false, tenant } = options;
  const body = askedBy(options);
  const session = openSession(options, process.env);
  if (direct) {
    // The stores are large; with a server nothing of them is needed.
    const { playStore } = await import('../play-store.ts');
    return show(session.screen, await playStore(process.env, tenant ?? null, body));
  }
  if (tenant !== undefined) {
    throw new UsageError('--tenant is for --direct: a server plays the tenant of your key');
  }
  const call = { method: 'POST', path: '/v1/what-if', body } as const;
  show(session.screen, await session.call<WhatIfJson>(call));
}

function listed(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

const EXAMPLES = `
Examples:
  pawl what-if --last 2h --workers 2x
  pawl what-if --from 2026-11-15T08:00 --to 2026-11-15T09:00 --slots 8 --priority report=high
  pawl what-if --load 1.5x --concurrency mail=4 --limit export=runningPerKey:2/requestedBy

Nothing is changed. Without changes only the replay is shown beside what really happened.`;

/** `pawl what-if`. */
export function addWhatIf(program: Command): void {
  program
    .command('what-if')
    .description('play recorded time again with other workers, limits, priorities or load')
    .option('--last <time>', 'length of the stretch that is played, up to --to', '1h')
    .option('--from <time>', 'begin: 2h for two hours ago, or 2026-11-15T08:00')
    .option('--to <time>', 'end; default: now')
    .option('--workers <amount>', 'how many workers: 8, +3, -1 or 2x')
    .option('--slots <amount>', 'jobs that each worker runs at once: 8, +3, -1 or 2x')
    .option('--load <factor>', 'jobs that arrive, as a factor such as 1.5x')
    .option('--concurrency <queue=max>', 'jobs of a queue at once, or none; repeatable', listed)
    .option('--type-concurrency <type=max>', 'jobs of a type at once, or none; repeatable', listed)
    .option('--limit <type=limit>', 'type=runningPerKey:2, or …:2/limitKey; repeatable', listed)
    .option('--rate <type=rate>', 'type=perUser:10/1m or perOrganisation:10/1m; repeatable', listed)
    .option('--priority <type=priority>', 'high, normal or a number; repeatable', listed)
    .option('--direct', 'read the database itself (DATABASE_URL, PAWL_DATA), without a server')
    .option('--tenant <tenant>', 'with --direct: of this tenant; default: of all')
    .addHelpText('after', EXAMPLES)
    .action(async (_options: object, command: Command) => run(command.optsWithGlobals()));
}
