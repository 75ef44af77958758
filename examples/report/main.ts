// A report from Markdown to PDF with the built-in jobs: one converts, the other exports.
//   npm run example examples/report/main.ts report.pdf
import { writeFile } from 'node:fs/promises';
import { openPawl } from '../../src/index.ts';
import { studioJobs } from '../../src/studio/jobs.ts';

const text = `# Sales of 2026

What was sold, and where

## By region

| region | sales |
|---|---|
| north | 120 |
| south | 80 |

## What comes next

- more of the north
- less rain`;

const pawl = await openPawl({ database: ':memory:', jobs: studioJobs });
pawl.work();

/** Built-in jobs check their input themselves, so that they are asked for by name. */
async function run(type: string, input: unknown): Promise<Record<string, unknown>> {
  const caller = { tenant: 'default', principal: null };
  const [accepted] = await pawl.engine.enqueue([{ type, input }], { caller });
  if (accepted!.kind === 'refused') throw accepted!.error;
  const job = await pawl.ended(accepted!.job);
  if (job.error !== null) throw new Error(job.error.message);
  return (await pawl.result(job)) as Record<string, unknown>;
}

const { deckRef } = await run('convert', { text });
const made = await run('export', { deckRef, format: 'pdf' });
const ref = { tenant: 'default', id: String(made['artifactRef']) };
const artifact = await pawl.artifacts!.find(ref);
const target = process.argv[2] ?? 'report.pdf';
await writeFile(target, await pawl.artifacts!.open(artifact));
console.log(`${String(made['slides'])} slides in ${target}`);
await pawl.close();
