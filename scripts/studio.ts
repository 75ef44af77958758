// `npm run studio:reference`: writes the studio's pages of docs/reference.
import { writeFileSync } from 'node:fs';
import { inRepository } from './run/repository.ts';
import { studioFiles } from './studio/reference.ts';

for (const [path, text] of studioFiles()) {
  writeFileSync(inRepository(path), text);
  process.stdout.write(`${path}\n`);
}
