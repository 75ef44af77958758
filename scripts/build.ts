// `npm run build`: plain JavaScript and declarations of every package in its `dist`, from nothing,
// with the SQL of the stores and the dashboard.
import { cpSync, rmSync } from 'node:fs';
import { buildDashboard } from './build-dashboard.ts';
import { buildLibrary } from './run/build-library.ts';
import { runTool } from './run/command.ts';
import { publicPackages } from './run/public-packages.ts';
import { inRepository } from './run/repository.ts';

/** What went wrong with a package, or null. */
async function buildPackage(folder: string): Promise<string | null> {
  const target = inRepository('packages', folder, 'dist');
  rmSync(target, { recursive: true, force: true });
  const args = ['--project', `packages/${folder}/tsconfig.build.json`];
  const { isGood, output } =
    folder === 'pawl'
      ? await buildLibrary(target)
      : await runTool('tsc', args, new AbortController().signal);
  return isGood ? null : output;
}

const faults: string[] = [];
// In this order: each is compiled against what was built of those before it.
for (const folder of publicPackages) {
  const fault = await buildPackage(folder);
  if (fault !== null) faults.push(fault);
}
const fault = await buildDashboard();
if (fault === null) {
  const target = inRepository('packages/server/dist/dashboard');
  cpSync(inRepository('packages/dashboard/dist'), target, { recursive: true });
} else faults.push(`The dashboard could not be built:\n${fault}`);
process.stdout.write(faults.join('\n'));
if (faults.length > 0) process.exitCode = 1;
