// `npm run diagrams`: writes docs/reference/lifecycles.md and its pictures.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { lifecycleFiles } from './diagrams/pages.ts';
import { inRepository } from './run/repository.ts';

for (const [path, text] of lifecycleFiles()) {
  mkdirSync(dirname(inRepository(path)), { recursive: true });
  writeFileSync(inRepository(path), text);
  process.stdout.write(`${path}\n`);
}
