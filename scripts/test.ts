// `npm test`: every gate, then every test.
//   npm test                      everything
//   npm test -- pawl/src/core "[D6]"   only tests in paths, or with titles, that contain the words
//   npm run check                 only the gates (--gates)
import { type Gate, gates } from './run/gates.ts';
import { runTests, select, type Selection, shareServers } from './run/run-tests.ts';
import { describePart, lastLine, type Part, timeTable } from './run/summary.ts';
import { resultsPath, type RunResults, writeResults } from './run/test-results.ts';
import { hashTree } from './run/tree-hash.ts';

const args = process.argv.slice(2);
const words = args.filter((arg) => !arg.startsWith('--'));
const isGatesOnly = args.includes('--gates');
const isWhole = words.length === 0;
const interruption = new AbortController();
const parts: Part[] = [];

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

async function timed<T>(name: string, work: () => Promise<T>, judge: (value: T) => boolean) {
  const startedAt = performance.now();
  const value = await work();
  const part = { name, ms: performance.now() - startedAt, isGood: judge(value) };
  parts.push(part);
  return { part, value };
}

async function runGate(gate: Gate): Promise<void> {
  const work = () => gate.run(interruption.signal);
  const { part, value } = await timed(gate.name, work, ({ isGood }) => isGood);
  say(describePart(part));
  if (!part.isGood) say(`\n${value.output.trimEnd()}\n`);
}

async function runAllTests(selection: Selection): Promise<RunResults> {
  const results = { treeHash: hashTree(), startedAt: new Date().toISOString() };
  // A single file starts servers by itself if it needs any.
  const isSharing = selection.files.length > 1;
  const started = isSharing
    ? await timed('postgres', shareServers, (servers) => servers.length > 0)
    : undefined;
  const servers = started?.value ?? [];
  if (started) say(describePart(started.part, servers.map(({ label }) => label).join(', ')));
  try {
    const work = () => runTests({ selection, isWhole, signal: interruption.signal, say });
    const { part, value } = await timed('tests', work, hasPassed);
    say(describePart(part, `${value.tests.length} tests in ${selection.files.length} files`));
    if (value.tests.length === 0) say('  no test ran: that is a failure');
    return { ...results, tests: value.tests, files: value.files };
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}

function hasPassed({ tests }: Pick<RunResults, 'tests'>): boolean {
  return tests.length > 0 && tests.every(({ outcome }) => outcome !== 'failed');
}

function chooseTests(): Selection | undefined {
  try {
    return select(words);
  } catch (error) {
    say((error as Error).message);
    process.exitCode = 2;
    return undefined;
  }
}

async function main(): Promise<void> {
  const selection = chooseTests();
  if (!selection) return;
  for (const gate of isWhole ? gates : []) {
    if (!interruption.signal.aborted) await runGate(gate);
  }
  let results: RunResults | undefined;
  if (!isGatesOnly && !interruption.signal.aborted) {
    results = await runAllTests(selection);
    if (!interruption.signal.aborted) {
      writeResults(results, resultsPath(isWhole ? 'whole' : 'selection'));
    }
  }
  if (isWhole) say(`\n${timeTable(parts, results?.files ?? [])}`);
  const failed = parts.filter((part) => !part.isGood).map((part) => part.name);
  if (interruption.signal.aborted) say('Interrupted');
  else if (failed.length > 0) say(`Failed: ${failed.join(', ')}`);
  if (failed.length > 0 || interruption.signal.aborted) process.exitCode = 1;
  if (results) say(`\n${lastLine(results.tests)}`);
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => interruption.abort());
}
await main();
