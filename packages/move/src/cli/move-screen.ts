import { countOf, isMovable, type KindReport, type Refusal } from '../move.ts';
import { commandOf, type SchedulePlan } from '../schedules.ts';
import { barText, type Column, countText, LiveLines, type Screen, tableLines } from 'pawl/cli';

const BAR_CELLS = 30;

interface Summary {
  readonly reports: readonly KindReport[];
  readonly plans: readonly SchedulePlan[];
  readonly isDry: boolean;
  readonly remarks: readonly string[];
}

function attemptsText({ attemptsMax, attemptsHere }: KindReport): string {
  if (attemptsHere === null) return '–';
  return attemptsMax === attemptsHere || attemptsMax === 0
    ? String(attemptsHere)
    : `${attemptsMax} → ${attemptsHere}`;
}

type Count =
  | 'waiting'
  | 'delayed'
  | 'held'
  | 'moved'
  | 'found'
  | 'joined'
  | 'refused'
  | 'released'
  | 'active'
  | 'failed'
  | 'tied';

const COUNTS: readonly (readonly [title: string, count: Count])[] = [
  ['WAITING', 'waiting'],
  ['DELAYED', 'delayed'],
  ['HELD', 'held'],
  ['MOVED', 'moved'],
  ['HERE BEFORE', 'found'],
  ['JOINED', 'joined'],
  ['REFUSED', 'refused'],
  ['GIVEN BACK', 'released'],
  ['ACTIVE', 'active'],
  ['FAILED', 'failed'],
  ['TIED', 'tied'],
];

const ALWAYS: readonly Count[] = ['waiting', 'delayed'];

/** What never happened has no column. */
function columnsOf(reports: readonly KindReport[]): Column<KindReport>[] {
  const shown = COUNTS.filter(
    ([, count]) => ALWAYS.includes(count) || reports.some((report) => report[count] > 0),
  );
  return [
    { title: 'THERE', text: ({ kind }) => kind },
    { title: 'HERE', text: (one) => (isMovable(one) ? one.type : `${one.type} (no such type)`) },
    { title: 'ATTEMPTS', text: attemptsText },
    ...shown.map(([title, count]): Column<KindReport> => ({
      title,
      text: (report) => report[count],
      isRight: true,
    })),
  ];
}

/** How a move is shown: a bar while it goes on, then a table; or JSON, a line a fact. */
export class MoveScreen {
  readonly #screen: Screen;
  readonly #live: LiveLines;

  constructor(screen: Screen) {
    this.#screen = screen;
    this.#live = new LiveLines(screen);
  }

  progress(done: number, total: number): void {
    if (!this.#screen.isLive) return;
    const bar = barText(total === 0 ? 1 : done / total, BAR_CELLS);
    this.#live.draw([`  ${bar} ${done} of ${Math.max(done, total)}`]);
  }

  refusal(refusal: Refusal): void {
    const { kind, id, code, message } = refusal;
    const line = `${kind} ${id} was refused: ${message} (${code})`;
    if (this.#screen.isJson) this.#screen.json({ what: 'refusal', ...refusal });
    else if (this.#screen.isLive) this.#live.print([line]);
    else this.#screen.talk(line);
  }

  summary(summary: Summary): void {
    if (this.#screen.isJson) this.#json(summary);
    else this.#lines(summary);
    for (const remark of summary.remarks) this.#screen.talk(remark);
  }

  #json({ reports, plans, isDry }: Summary): void {
    for (const report of reports) {
      const isKnown = isMovable(report);
      this.#screen.json({ what: 'kind', ...report, isKnown, isDry });
    }
    for (const { schedule, name, definition, isMoved, problem } of plans) {
      const { kind, text } = schedule;
      this.#screen.json({ what: 'schedule', kind, text, name, definition, isMoved, problem });
    }
  }

  #lines({ reports, plans, isDry }: Summary): void {
    const screen = this.#screen;
    if (reports.length === 0) screen.talk('No jobs found there.');
    else for (const line of tableLines(screen, columnsOf(reports), reports)) screen.data(line);
    const listed = plans.filter(({ isMoved }) => !isMoved);
    const moved = plans.length - listed.length;
    if (moved > 0) screen.data(`${countText(moved, 'schedule')} moved`);
    if (listed.length > 0) screen.data('\nRecurring jobs there, and how to create them here:');
    for (const plan of listed) {
      const { schedule, problem } = plan;
      screen.data(`# ${schedule.kind}: ${schedule.text}${problem === null ? '' : `, ${problem}`}`);
      if (plan.definition !== null) screen.data(commandOf(plan));
    }
    if (!isDry) return;
    const count = reports.filter(isMovable).reduce((sum, report) => sum + countOf(report), 0);
    screen.talk(`Nothing was changed: ${countText(count, 'job')} would be moved.`);
  }
}
