// `npm run build`: plain JavaScript and declarations of every package in its `dist`, from nothing,
// with the SQL of the stores and the dashboard.
import { cpSync, rmSync } from 'node:fs';
import { buildDashboard } from './build-dashboard.ts';
<<<<<<< HEAD
import { runTool } from './run/command.ts';
import { publicPackages } from './run/public-packages.ts';
=======
import { buildLibrary } from './run/build-library.ts';
>>>>>>> split-n5
import { inRepository } from './run/repository.ts';

/** What went wrong with a package, or null. */
async function buildPackage(folder: string): Promise<string | null> {
  rmSync(inRepository('packages', folder, 'dist'), { recursive: true, force: true });
  const args = ['--project', `packages/${folder}/tsconfig.build.json`];
  const { isGood, output } = await runTool('tsc', args, new AbortController().signal);
  return isGood ? null : output;
}

<<<<<<< HEAD
function copyInto(folder: string, from: string, to: string): void {
  cpSync(inRepository(from), inRepository('packages', folder, 'dist', to), { recursive: true });
}

const faults: string[] = [];
// In this order: each is compiled against what was built of those before it.
for (const folder of publicPackages) {
  const fault = await buildPackage(folder);
  if (fault !== null) faults.push(fault);
  if (folder !== 'pawl') continue;
  for (const store of ['sqlite', 'postgres']) {
    copyInto(folder, `packages/pawl/src/store/${store}/sql`, `store/${store}/sql`);
  }
}
=======
rmSync(target, { recursive: true, force: true });
const { isGood, output } = await buildLibrary(target);
process.stdout.write(output);
>>>>>>> split-n5
const fault = await buildDashboard();
if (fault === null) copyInto('server', 'packages/dashboard/dist', 'dashboard');
else faults.push(`The dashboard could not be built:\n${fault}`);
process.stdout.write(faults.join('\n'));
if (faults.length > 0) process.exitCode = 1;
