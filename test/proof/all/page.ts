// The part of docs/proof.md that is made from the ledger.
import { readFileSync, writeFileSync } from 'node:fs';
import { grouped } from '../figures.ts';
import { GOALS, type Goal, LANES } from './lanes.ts';
import type { LaneTotals } from './ledger.ts';

type Totals = Readonly<Record<string, LaneTotals>>;

const BEGIN = '<!-- proof:all begins -->';
const END = '<!-- proof:all ends -->';

export interface Standing {
  readonly total: number;
  /** Of the lanes that count it. */
  readonly seconds: number;
}

export function standingOf({ lanes, counted }: Goal, totals: Totals): Standing {
  const own = lanes.flatMap((name) => totals[name] ?? []);
  return {
    total: own.reduce((sum, { counts }) => sum + (counts[counted] ?? 0), 0),
    seconds: own.reduce((sum, { seconds }) => sum + seconds, 0),
  };
}

export function pageOf(totals: Totals): string {
  const goals = GOALS.map((goal) => goalLine(goal, standingOf(goal, totals)));
  const lanes = LANES.flatMap(({ name, what }) => {
    const lane = totals[name];
    return lane === undefined ? [] : [laneLine(name, what, lane)];
  });
  return [
    '| what | total | goal | reached | hours of its lanes | an hour | further hours to the goal |',
    '|---|---|---|---|---|---|---|',
    ...goals,
    '',
    '| lane | what it does | slices | hours | counted | violations | trees of `packages` |',
    '|---|---|---|---|---|---|---|',
    ...lanes,
  ].join('\n');
}

function goalLine({ what, goal }: Goal, { total, seconds }: Standing): string {
  const hours = seconds / 3_600;
  const rate = hours === 0 ? 0 : total / hours;
  const further = total >= goal ? '0' : rate === 0 ? 'unknown' : hoursTold((goal - total) / rate);
  const reached = `${(Math.floor((1_000 * total) / goal) / 10).toFixed(1)} %`;
  const cells = [what, grouped(total), grouped(goal), reached, hoursTold(hours)];
  return `| ${[...cells, grouped(Math.round(rate)), further].join(' | ')} |`;
}

function laneLine(name: string, what: string, lane: LaneTotals): string {
  const { slices, seconds, counts, violations, trees } = lane;
  const counted = Object.entries(counts).map(([one, count]) => `${one} ${grouped(count)}`);
  const sources = Object.entries(trees).map(([tree, { commit }]) => `${tree} (${commit})`);
  const cells = [name, what, grouped(slices), hoursTold(seconds / 3_600), counted.join(', ')];
  return `| ${[...cells, grouped(violations), sources.join(', ')].join(' | ')} |`;
}

function hoursTold(hours: number): string {
  return hours.toFixed(hours < 100 ? 1 : 0);
}

/** Puts the part in its place; the rest of the page is written by hand. */
export function withPart(page: string, part: string): string {
  const [from, to] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (from === -1 || to < from) throw new Error(`the page lacks ${BEGIN} and ${END}`);
  return `${page.slice(0, from + BEGIN.length)}\n\n${part}\n\n${page.slice(to)}`;
}

export function writePage(path: string, totals: Totals): void {
  writeFileSync(path, withPart(readFileSync(path, 'utf8'), pageOf(totals)));
}
