// Runs test files, each in its own process, against PostgreSQL servers started once for all.
import { availableParallelism } from 'node:os';
import { run } from 'node:test';
import {
  type PostgresServer,
  postgresServers,
  variableFor,
} from '../../test/support/postgres/servers.ts';
import { findTestFiles, shortPath } from './repository.ts';
import { ResultCollector, type RunnerEvent } from './reporter.ts';

/** For a file that hangs: a sound one has taken a third of it beside sixty other processes. */
const fileTimeoutMs = 30 * 60_000;
/** More than there are cores: half of its time a file waits, for a process, a lock or a page. */
const filesAtOnce = availableParallelism() + 2;

export interface Selection {
  files: string[];
  titlePatterns: string[];
}

/**
 * Words that occur in paths select files; all other words select tests by title.
 * @throws Error for a path that no test file has: as a title it would match nothing in every file.
 */
export function select(
  words: readonly string[],
  files: readonly string[] = findTestFiles(),
): Selection {
  const occurs = (word: string) => files.some((file) => shortPath(file).includes(word));
  const paths = words.map((word) => word.replace(/^\.\//, '')).filter(occurs);
  const titlePatterns = words.filter((word) => !occurs(word.replace(/^\.\//, '')));
  const missing = titlePatterns.find((word) => /^[\w.@-]+(?:\/[\w.@-]*)+$/.test(word));
  if (missing !== undefined) {
    throw new Error(
      `No test file's path contains "${missing}". Give part of a path, as in test/spec/serve, ` +
        'or words of a title.',
    );
  }
  const isChosen = (file: string) => paths.some((path) => shortPath(file).includes(path));
  return { files: paths.length === 0 ? [...files] : files.filter(isChosen), titlePatterns };
}

/** Starts the servers and hands them to test files through the environment. */
export async function shareServers(): Promise<PostgresServer[]> {
  const servers = await postgresServers();
  for (const server of servers) process.env[variableFor(server)] = server.url;
  return servers;
}

export interface TestRunOptions {
  selection: Selection;
  isWhole: boolean;
  signal: AbortSignal;
  say: (text: string) => void;
}

export async function runTests(options: TestRunOptions): Promise<ResultCollector> {
  const { selection, isWhole, signal, say } = options;
  const collector = new ResultCollector({ mayFilesBeEmpty: !isWhole });
  const stream = run({
    files: selection.files,
    concurrency: filesAtOnce,
    timeout: fileTimeoutMs,
    signal,
    ...(selection.titlePatterns.length > 0 && {
      testNamePatterns: selection.titlePatterns.map(literal),
    }),
  });
  for await (const event of stream) {
    const text = collector.take(event as RunnerEvent);
    if (text !== '') say(text);
  }
  return collector;
}

// A title such as "[D6, D10] at most…" must not be read as a regular expression.
function literal(words: string): RegExp {
  return new RegExp(RegExp.escape(words), 'i');
}
