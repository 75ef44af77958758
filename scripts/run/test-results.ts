// What a test run leaves behind for other programs: `.cache/test-results.json`.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { inRepository } from './repository.ts';

export type Outcome = 'passed' | 'failed' | 'skipped';

export interface TestResult {
  /** The test file that was run, from the root of the repository. */
  file: string;
  /** Titles from the outermost suite to the test itself. */
  titles: string[];
  outcome: Outcome;
  ms: number;
}

export interface FileResult {
  file: string;
  ms: number;
}

export interface RunResults {
  /** Fingerprint of the tree when the run began. */
  treeHash: string;
  startedAt: string;
  tests: TestResult[];
  files: FileResult[];
}

/** Runs of a selection are kept apart: nothing may mistake them for the whole. */
export type Scope = 'whole' | 'selection';

export function resultsPath(scope: Scope): string {
  const name = scope === 'whole' ? 'test-results.json' : 'test-results.selection.json';
  return inRepository('.cache', name);
}

export function writeResults(results: RunResults, path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(results, null, 1)}\n`);
}

export function readResults(path: string): RunResults | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as RunResults;
  } catch {
    return undefined;
  }
}

export function countBy(tests: readonly TestResult[], outcome: Outcome): number {
  return tests.filter((test) => test.outcome === outcome).length;
}
