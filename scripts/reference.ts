// `npm run reference`: writes every page of docs/reference that is made from data.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { referenceFiles } from './reference/pages.ts';
import { inRepository } from './run/repository.ts';

for (const [path, text] of await referenceFiles()) {
  mkdirSync(dirname(inRepository(path)), { recursive: true });
  writeFileSync(inRepository(path), text);
  process.stdout.write(`${path}\n`);
}
