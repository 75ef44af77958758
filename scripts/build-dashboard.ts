// Builds the dashboard where its sources are newer than what was built, or nothing was.
import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { runTool } from './run/command.ts';
import { oneAtATime } from './run/one-at-a-time.ts';
import { inRepository } from './run/repository.ts';

const SOURCES = [
  'packages/dashboard',
  'docs',
  'deploy',
  'scripts/guides',
  'packages/pawl/src/core',
  'packages/pawl/src/client',
  'packages/pawl/src/cli/terminal',
  'packages/pawl/src/contract',
];

const BUILT = inRepository('packages/dashboard/dist');

function newestIn(folder: string): number {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter(
    ({ parentPath, name }) =>
      /\.(?:tsx?|css|html|svg|json|md)$/.test(name) &&
      !/[/\\](?:dist|node_modules)/.test(parentPath),
  );
  return Math.max(
    0,
    ...files.map(({ parentPath, name }) => statSync(`${parentPath}/${name}`).mtimeMs),
  );
}

function isFresh(): boolean {
  const built = statSync(`${BUILT}/index.html`, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return built > Math.max(...SOURCES.map((folder) => newestIn(inRepository(folder))));
}

/** Beside the old one, which is read by whoever starts meanwhile, and then in its place. */
async function build(): Promise<string | null> {
  const [made, old] = [`${BUILT}-new`, `${BUILT}-old`];
  const args = ['build', inRepository('packages/dashboard'), '--outDir', made, '--emptyOutDir'];
  const more = ['--logLevel', 'warn'];
  const { isGood, output } = await runTool(
    'vite',
    [...args, ...more],
    new AbortController().signal,
  );
  if (!isGood) return output;
  rmSync(old, { recursive: true, force: true });
  if (existsSync(BUILT)) renameSync(BUILT, old);
  renameSync(made, BUILT);
  rmSync(old, { recursive: true, force: true });
  return null;
}

/** Answers with what went wrong, or null. */
export async function buildDashboard(): Promise<string | null> {
  if (isFresh()) return null;
  return oneAtATime('dashboard', async () => (isFresh() ? null : build()));
}
