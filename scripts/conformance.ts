// `npm run conformance`: runs all tests and writes docs/conformance.md.
//   --from-last-run   use the results of the last whole `npm test`, if the code is still the same
//   --strict          also fail while a requirement has no test
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { toMarkdown, toText } from './conformance/markdown.ts';
import { buildMatrix, countVerdicts } from './conformance/matrix.ts';
import { parseRequirements } from './conformance/requirements.ts';
import { inRepository } from './run/repository.ts';
import { readResults, resultsPath, type TestResult } from './run/test-results.ts';
import { hashTree } from './run/tree-hash.ts';

class Refusal extends Error {}

function obtainTests(isFromLastRun: boolean): TestResult[] {
  if (!isFromLastRun) {
    // An interrupted run must not leave the results of an earlier one to be taken for its own.
    rmSync(resultsPath('whole'), { force: true });
    spawnSync(process.execPath, [inRepository('scripts/test.ts')], { stdio: 'inherit' });
  }
  const results = readResults(resultsPath('whole'));
  if (!results) throw new Refusal('there are no results of a whole test run: run npm test first');
  if (results.treeHash !== hashTree()) {
    throw new Refusal('the code has changed since the tests ran: run them again');
  }
  return results.tests;
}

function report(args: readonly string[]): number {
  const requirements = readFileSync(inRepository('docs/requirements.md'), 'utf8');
  const tests = obtainTests(args.includes('--from-last-run'));
  const matrix = buildMatrix(parseRequirements(requirements), tests);
  writeFileSync(inRepository('docs/conformance.md'), toMarkdown(matrix));
  process.stdout.write(`\n${toText(matrix)}\nwritten to docs/conformance.md\n`);
  const { fail, missing } = countVerdicts(matrix.sections.flatMap(({ rows }) => rows));
  const isGood = fail === 0 && matrix.unknownIds.length === 0;
  return isGood && (missing === 0 || !args.includes('--strict')) ? 0 : 1;
}

try {
  process.exitCode = report(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof Refusal) && (error as NodeJS.ErrnoException).code !== 'ENOENT')
    throw error;
  process.stderr.write(`conformance: ${(error as Error).message}\n`);
  process.exitCode = 1;
}
