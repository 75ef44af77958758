// Plants one mistake for a row of docs/requirements.md after the other: the tests that carry the
// row's id must notice, and no others are run.
import { readFileSync } from 'node:fs';
import { parseRequirements } from '../../../scripts/conformance/requirements.ts';
import { inRepository } from '../../../scripts/run/repository.ts';
import type { Rung, RungReport, Say } from '../figures.ts';
import { Plantation, staleness } from './plantation.ts';
import { ROW_CHANGES, type RowChange } from './rows/changes.ts';

/** The ids of all rows, in their order. */
function allRows(): string[] {
  const text = readFileSync(inRepository('docs/requirements.md'), 'utf8');
  return parseRequirements(text).flatMap(({ requirements }) => requirements.map(({ id }) => id));
}

/** Titles begin with the ids of the rows that their test shows. */
export function titlesOf(row: string): string {
  return String.raw`\[[^\]]*\b${row}\b`;
}

export function staleChanges(chosen: readonly RowChange[] = ROW_CHANGES): string[] {
  return chosen.flatMap((one) => {
    const stale = staleness(one);
    return stale === null ? [] : [`${one.row}, ${one.mistake}: ${stale}`];
  });
}

/** Rows of which nobody has planted anything yet. */
export function barrenRows(): string[] {
  const planted = new Set(ROW_CHANGES.map(({ row }) => row));
  return allRows().filter((row) => !planted.has(row));
}

async function plant(chosen: readonly RowChange[], say: Say): Promise<string[]> {
  const survivors: string[] = [];
  const plantation = new Plantation();
  try {
    for (const one of chosen) {
      const titles = titlesOf(one.row);
      // What is red anyhow notices nothing.
      const isSound = await plantation.isGreen(one.tests, titles);
      const isSeen = isSound && (await plantation.isCaught(one, one.tests, titles));
      const verdict = isSeen ? 'caught' : isSound ? 'SURVIVES' : 'RED BEFORE';
      say(`${one.row.padEnd(4)} ${verdict.padEnd(10)} ${one.mistake} (${one.tests})`);
      if (!isSeen) survivors.push(`${one.row}: ${one.tests} did not notice that ${one.mistake}`);
    }
  } finally {
    plantation.remove();
  }
  return survivors;
}

/** `npm run proof:mutants -- --rows`, of some rows with `--rows D6,T5`. */
export const runRowMutants: Rung = async (options, say): Promise<RungReport> => {
  const wanted = options.text('rows')?.split(',').filter(Boolean) ?? [];
  const isWanted = ({ row }: RowChange): boolean => wanted.length === 0 || wanted.includes(row);
  const chosen = ROW_CHANGES.filter(isWanted);
  const stale = staleChanges(chosen);
  if (stale.length > 0) return { figures: { planted: 0 }, violations: stale };
  const survivors = await plant(chosen, say);
  const barren = wanted.length === 0 ? barrenRows() : [];
  const figures = {
    'rows planted': new Set(chosen.map(({ row }) => row)).size,
    'rows without a planted change': barren.length,
    planted: chosen.length,
    caught: chosen.length - survivors.length,
  };
  const violations = [...survivors, ...barren.map((row) => `nothing is planted for ${row}`)];
  return { figures, violations };
};
