// A report from Markdown to PDF with the built-in jobs: one converts, the other exports.
//   npm run example examples/report/main.ts report.pdf
import { writeFile } from 'node:fs/promises';
import { openPawl } from 'pawl';
import { convert, exportDeck, studioJobs } from '@pawl/studio';

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
const { deckRef } = await (await pawl.enqueue(convert, { text })).result();
const exported = await pawl.enqueue(exportDeck, { deckRef, format: 'pdf' });
const { slides } = await exported.result();
const [pdf] = await exported.artifacts();
const target = process.argv[2] ?? 'report.pdf';
await writeFile(target, await pdf!.stream());
console.log(`${slides} slides in ${target}`);
await pawl.close();
