// `npm start`: the platform with the jobs of the quick start, unless PAWL_JOBS names others.
import { fileURLToPath } from 'node:url';
import { start } from '@pawl/server/internal/cli/start';
import { buildDashboard } from './build-dashboard.ts';

const quickStart = new URL('../examples/quick-start/jobs.ts', import.meta.url);

const fault = await buildDashboard();
if (fault !== null) process.stderr.write(`The dashboard could not be built:\n${fault}\n`);
process.env['PAWL_JOBS'] ??= fileURLToPath(quickStart);
process.exitCode = await start(process.env, { command: 'bin/pawl' });
