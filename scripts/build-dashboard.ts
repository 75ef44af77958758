// Builds the dashboard, and the documentation in its folder `guides`, where their sources are newer
// than what was built, or nothing was.
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { runTool } from './run/command.ts';
import { oneAtATime } from './run/one-at-a-time.ts';
import { inRepository } from './run/repository.ts';
import { sitePages } from './site/pages.ts';
import { writeSite } from './site/write-site.ts';

const SOURCES = [
  'packages/dashboard',
  'scripts/site',
  'packages/pawl/src/core',
  'packages/pawl/src/client',
  'packages/pawl/src/cli/terminal',
  'packages/pawl/src/contract',
];

const BUILT = inRepository('packages/dashboard/dist');
/** Where nobody looks for sources, on the same disk. */
const ASIDE = inRepository('.cache/dashboard');

function newestIn(folder: string): number {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter(
    ({ parentPath, name }) =>
      /\.(?:tsx?|js|css|html|svg|json)$/.test(name) &&
      !/[/\\](?:dist|node_modules)/.test(parentPath),
  );
  return Math.max(
    0,
    ...files.map(({ parentPath, name }) => statSync(`${parentPath}/${name}`).mtimeMs),
  );
}

function isFresh(): boolean {
  const built = statSync(`${BUILT}/index.html`, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const documents = [...sitePages().values()].map((path) => statSync(inRepository(path)).mtimeMs);
  return built > Math.max(...SOURCES.map((folder) => newestIn(inRepository(folder))), ...documents);
}

/** Answers with what went wrong, or null. */
async function runVite(target: string, ...more: string[]): Promise<string | null> {
  const folder = inRepository('packages/dashboard');
  const args = ['build', folder, '--outDir', target, '--logLevel', 'warn', ...more];
  const { isGood, output } = await runTool('vite', args, new AbortController().signal);
  return isGood ? null : output;
}

/** Aside from the old one, which is read by whoever starts meanwhile, and then in its place. */
async function build(): Promise<string | null> {
  const [made, old, guides] = [`${ASIDE}/new`, `${ASIDE}/old`, `${ASIDE}/new/guides`];
  const config = inRepository('packages/dashboard/site.vite.config.ts');
  mkdirSync(ASIDE, { recursive: true });
  const fault =
    (await runVite(made, '--emptyOutDir')) ?? (await runVite(guides, '--config', config));
  if (fault !== null) return fault;
  cpSync(`${made}/mark.svg`, `${guides}/mark.svg`);
  writeSite(guides);
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
