// Builds the dashboard where its sources are newer than what was built, or nothing was.
import { readdirSync, statSync } from 'node:fs';
import { runTool } from './run/command.ts';
import { inRepository } from './run/repository.ts';

const SOURCES = ['dashboard', 'src/core', 'src/client', 'src/cli/terminal', 'src/http/schema'];

function newestIn(folder: string): number {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter(
    ({ parentPath, name }) =>
      /\.(?:tsx?|css|html|svg|json)$/.test(name) && !/[/\\](?:dist|node_modules)/.test(parentPath),
  );
  return Math.max(
    0,
    ...files.map(({ parentPath, name }) => statSync(`${parentPath}/${name}`).mtimeMs),
  );
}

function builtAt(): number {
  return (
    statSync(inRepository('dashboard/dist/index.html'), { throwIfNoEntry: false })?.mtimeMs ?? 0
  );
}

/** Answers with what went wrong, or null. */
export async function buildDashboard(): Promise<string | null> {
  const newest = Math.max(...SOURCES.map((folder) => newestIn(inRepository(folder))));
  if (builtAt() > newest) return null;
  const args = ['build', inRepository('dashboard'), '--logLevel', 'warn'];
  const { isGood, output } = await runTool('vite', args, new AbortController().signal);
  return isGood ? null : output;
}
