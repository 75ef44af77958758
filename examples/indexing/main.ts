// Makes a folder searchable, and searches it.
//   npm run example examples/indexing/main.ts docs 'worker lost'
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { openPawl } from 'pawl';
import { indexFiles } from './index-files.ts';
import { SearchFile } from './search-file.ts';

const [folder = 'docs', words = 'worker lost'] = process.argv.slice(2);
const place = mkdtempSync(join(tmpdir(), 'pawl-index-'));
const target = join(place, 'search.db');
const job = indexFiles();

const pawl = await openPawl({ database: join(place, 'jobs.db'), jobs: [job] });
pawl.work();
const accepted = await pawl.enqueue(job, { folder: resolve(folder), target });
await accepted.result();
const index = new SearchFile(target);
console.log(`succeeded: ${index.count()} files can be searched`);
for (const { path, excerpt } of index.find(words)) {
  console.log(`${path}: ${excerpt.replaceAll(/\s+/g, ' ')}`);
}
index.close();
await pawl.close();
rmSync(place, { recursive: true });
