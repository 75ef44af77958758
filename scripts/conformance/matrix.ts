// Joins requirements to the tests that carry their ids.
import type { TestResult } from '../run/test-results.ts';
import { idsIn, type Requirement, type RequirementDocument } from './requirements.ts';

export type Verdict = 'pass' | 'fail' | 'missing';

export interface MatrixRow extends Requirement {
  verdict: Verdict;
  /** Only tests that really ran. */
  tests: TestResult[];
}

export interface MatrixSection {
  title: string;
  rows: MatrixRow[];
}

export interface Matrix {
  sections: MatrixSection[];
  /** Ids in titles that no requirement has: a slip of the pen that would hide a gap. */
  unknownIds: string[];
}

export function buildMatrix(documents: RequirementDocument[], tests: TestResult[]): Matrix {
  const testsById = new Map<string, TestResult[]>();
  for (const test of tests) {
    for (const id of new Set(test.titles.flatMap(idsIn))) {
      testsById.set(id, [...(testsById.get(id) ?? []), test]);
    }
  }
  const known = new Set(documents.flatMap(({ requirements }) => requirements.map(({ id }) => id)));
  const sections = documents.map(({ title, requirements }) => ({
    title,
    rows: requirements.map((requirement) =>
      judge(requirement, testsById.get(requirement.id) ?? []),
    ),
  }));
  return { sections, unknownIds: [...testsById.keys()].filter((id) => !known.has(id)).sort() };
}

function judge(requirement: Requirement, found: TestResult[]): MatrixRow {
  const tests = found.filter(({ outcome }) => outcome !== 'skipped');
  const hasFailure = tests.some(({ outcome }) => outcome === 'failed');
  return {
    ...requirement,
    tests,
    verdict: hasFailure ? 'fail' : tests.length > 0 ? 'pass' : 'missing',
  };
}

export function countVerdicts(rows: readonly MatrixRow[]): Record<Verdict, number> {
  const counts = { pass: 0, fail: 0, missing: 0 };
  for (const { verdict } of rows) counts[verdict]++;
  return counts;
}
