import { mkdirSync, writeFileSync } from 'node:fs';
import type { PeerOptions } from './options.ts';
import { chartOf, reportOf } from './report.ts';
import type { Outcome } from './run.ts';

/** Four digits tell all that a measurement knows. */
const DIGITS = 4;

/** Writes the page, its chart, and all values in the order of the repeats. */
export function writeResults(
  outcome: Outcome,
  options: PeerOptions,
  versions: readonly string[],
): void {
  const folder = new URL('../results/', import.meta.url);
  mkdirSync(folder, { recursive: true });
  const page = reportOf(outcome, options, versions);
  writeFileSync(new URL('../RESULTS.md', import.meta.url), `${page}\n`);
  writeFileSync(new URL('peers.svg', folder), chartOf(outcome, options));
  const values = new Map<string, Map<string, number[]>>();
  for (const { contender, measure, value } of outcome.readings) {
    const measures = values.get(contender) ?? new Map<string, number[]>();
    values.set(contender, measures);
    measures.set(measure, [...(measures.get(measure) ?? []), Number(value.toPrecision(DIGITS))]);
  }
  const { conditions, absences, isComplete } = outcome;
  const contenders = Object.fromEntries(
    [...values].map(([name, measures]) => [name, Object.fromEntries(measures)]),
  );
  const kept = { command: options.command, isComplete, versions, conditions, absences, contenders };
  // One line for each list of repeats.
  const text = JSON.stringify(kept, null, 1).replaceAll(/\[\s+([\d.,\s-]+?)\s+\]/g, (list) =>
    list.replaceAll(/\s+/g, ''),
  );
  writeFileSync(new URL('peers.generated.json', folder), `${text}\n`);
}
