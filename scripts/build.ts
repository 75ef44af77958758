// `npm run build`: plain JavaScript and declarations of `src` in `dist`, from nothing.
import { rmSync } from 'node:fs';
import { runTool } from './run/command.ts';
import { inRepository } from './run/repository.ts';

rmSync(inRepository('dist'), { recursive: true, force: true });
const args = ['--project', 'tsconfig.build.json'];
const { isGood, output } = await runTool('tsc', args, new AbortController().signal);
process.stdout.write(output);
if (!isGood) process.exitCode = 1;
