import { spawn, type ChildProcess } from 'node:child_process';
import { watch } from 'node:fs';
import { once } from 'node:events';
import type { Command } from 'commander';
import { stopSignal } from 'pawl/internal/settings/stop-signal';
import { mayOpenPage, openPage } from './open-page.ts';
import type { Listening } from './start.ts';

/** Editors write a file in several steps: what comes within this time is one change. */
const SETTLE_MS = 150;

/** What is watched: sources, but neither packages, nor what programs write. */
function isSource(path: string): boolean {
  return (
    /\.(?:[cm]?[jt]s|json)$/.test(path) && !/(?:^|[/\\])(?:node_modules|dist|data|\.)/.test(path)
  );
}

interface DevOptions {
  /** False with `--no-open`. */
  readonly open: boolean;
}

/** Runs `pawl start` in a process of its own, and again whenever a source changes. */
async function dev(words: readonly string[], { open }: DevOptions): Promise<void> {
  const stopped = stopSignal();
  let child = startChild(words);
  if (open && mayOpenPage(process.env, process.stdout)) {
    child.once('message', ({ url }: Listening) => openPage(url));
  }
  let restarting: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  const restart = (path: string): void => {
    restarting = startAgain(restarting, path);
  };
  const startAgain = async (before: Promise<void>, path: string): Promise<void> => {
    await before;
    process.stderr.write(`pawl: ${path} has changed; starting again\n`);
    await endChild(child);
    child = startChild(words);
  };
  const watcher = watch('.', { recursive: true }, (_event, path) => {
    if (path === null || !isSource(path)) return;
    clearTimeout(timer);
    timer = setTimeout(() => restart(path), SETTLE_MS);
  });
  await stopped;
  watcher.close();
  clearTimeout(timer);
  await restarting;
  await endChild(child);
}

function startChild(words: readonly string[]): ChildProcess {
  const [program = ''] = process.argv.slice(1);
  return spawn(process.execPath, [...process.execArgv, program, 'start', ...words], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
}

async function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

/** `pawl dev`. */
export function addDev(program: Command): void {
  program
    .command('dev')
    .description(
      'run the platform of pawl.config.ts, open its page, restart it when a source changes',
    )
    .argument('[options...]', 'options of "pawl start"')
    .option('--no-open', 'do not open the page in the browser')
    .allowUnknownOption()
    .addHelpText('after', '\nExample: pawl dev --port 3000')
    .action((words: readonly string[], options: DevOptions) => dev(words, options));
}
