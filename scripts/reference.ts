// `npm run reference`: writes every page of docs/reference that is made from data.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { referenceFiles } from './reference/pages.ts';
import { runTool } from './run/command.ts';
import { inRepository } from './run/repository.ts';

const files = await referenceFiles();
for (const [path, text] of files) {
  mkdirSync(dirname(inRepository(path)), { recursive: true });
  writeFileSync(inRepository(path), text);
  process.stdout.write(`${path}\n`);
}
// How JSON is laid out is the formatter's.
const json = [...files.keys()].filter((path) => path.endsWith('.json'));
await runTool('oxfmt', json, new AbortController().signal);
