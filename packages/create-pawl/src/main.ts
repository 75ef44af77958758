#!/usr/bin/env node
import { readAnswers } from './answers.ts';
import { createProject } from './create-project.ts';
import { nextSteps } from './next-steps.ts';

const HELP = `Creates a project with Pawl: a job, its test, a schedule, Docker files.

Usage: npm create pawl [folder] -- [options]

Options:
  --store <name>    sqlite (a file, one process) or postgres (any number of processes);
                    default: sqlite
  --dashboard       with the HTTP API and the dashboard; this is the default
  --no-dashboard    the library only, inside your own program
  --yes             ask nothing, take the defaults
  --help            show this text

Example: npm create pawl my-app -- --store postgres
`;

try {
  const answers = await readAnswers(process.argv.slice(2));
  if (answers === null) process.stdout.write(HELP);
  else {
    const { folder, ...options } = answers;
    const files = createProject(folder, options);
    process.stdout.write(nextSteps(answers, files.length));
  }
} catch (error) {
  process.stderr.write(`create-pawl: ${(error as Error).message}\n`);
  process.exitCode = 1;
}
