// `npm run build`: plain JavaScript and declarations of `src`, the SQL of the stores and the
// dashboard, in `dist`, from nothing. A folder named on the command line is built into instead.
import { cpSync, existsSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { buildDashboard } from './build-dashboard.ts';
import { buildLibrary } from './run/build-library.ts';
import { inRepository } from './run/repository.ts';

const target = resolve(process.argv[2] ?? inRepository('dist'));
const dashboard = inRepository('dashboard/dist');

rmSync(target, { recursive: true, force: true });
const { isGood, output } = await buildLibrary(target);
process.stdout.write(output);
const fault = await buildDashboard();
if (fault !== null) process.stdout.write(`The dashboard could not be built:\n${fault}\n`);
if (existsSync(dashboard)) cpSync(dashboard, join(target, 'dashboard'), { recursive: true });
if (!isGood || fault !== null) process.exitCode = 1;
