// The last page of a test run: where the time went, and how many tests passed.
import { countBy, type FileResult, type TestResult } from './test-results.ts';

export interface Part {
  name: string;
  ms: number;
  isGood: boolean;
}

export const budgetMs: number = 30 * 60_000;
const slowestFilesMax = 5;

export function describePart(part: Part, remark = ''): string {
  const note = remark === '' ? '' : `  ${remark}`;
  return `${part.isGood ? '✓' : '✗'} ${part.name.padEnd(16)} ${seconds(part.ms)}${note}`;
}

export function timeTable(parts: readonly Part[], files: readonly FileResult[]): string {
  const budget = `${budgetMs / 60_000} minutes`;
  const totalMs = parts.reduce((sum, part) => sum + part.ms, 0);
  const rows = parts.map((part) => row(part.name, part.ms));
  const folders = [...sumByFolder(files)].map(([folder, ms]) => row(`  ${folder}`, ms));
  const slowest = [...files].sort((a, b) => b.ms - a.ms).slice(0, slowestFilesMax);
  return [
    'Time by part',
    ...rows,
    ...(folders.length > 0 ? ['Tests by folder (files run side by side)', ...folders] : []),
    ...(slowest.length > 0 ? ['Slowest files'] : []),
    ...slowest.map(({ file, ms }) => row(`  ${file}`, ms)),
    `Total ${seconds(totalMs).trim()}: ${share(totalMs)} of the budget of ${budget}`,
  ].join('\n');
}

/** The line that ends a run; nothing may be printed after it. */
export function lastLine(tests: readonly TestResult[]): string {
  const skipped = countBy(tests, 'skipped');
  const counted = `${countBy(tests, 'passed')} passed, ${countBy(tests, 'failed')} failed`;
  return skipped > 0 ? `${counted}, ${skipped} skipped` : counted;
}

/** Sums by part: `packages/pawl/src/core`, `packages/ogc/test`, `test/spec`. */
export function sumByFolder(files: readonly FileResult[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { file, ms } of [...files].sort((a, b) => a.file.localeCompare(b.file))) {
    const depth = file.startsWith('packages/') ? 4 : 2;
    const folder = file.split('/').slice(0, -1).slice(0, depth).join('/');
    sums.set(folder, (sums.get(folder) ?? 0) + ms);
  }
  return sums;
}

function row(name: string, ms: number): string {
  return `  ${name.padEnd(52)} ${seconds(ms)}`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1).padStart(7)} s`;
}

function share(ms: number): string {
  return `${((ms / budgetMs) * 100).toFixed(1)} %`;
}
