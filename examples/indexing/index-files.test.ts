import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, test } from 'node:test';
import { openWorld } from 'pawl/testing';
import { indexFiles, textOf } from './index-files.ts';
import { SearchFile } from './search-file.ts';

const place = mkdtempSync(join(tmpdir(), 'pawl-indexing-'));
after(() => rmSync(place, { recursive: true, force: true }));
const folder = join(place, 'texts');
mkdirSync(folder);
for (let n = 10; n < 30; n++) {
  writeFileSync(join(folder, `${n}.md`), `# Page ${n}\n\nOf ratchets and [pawls](x.md).\n`);
}
writeFileSync(join(folder, '30.html'), '<p>A <b>lost</b> ratchet</p><script>pawls()</script>');

test('indexing: goes on after the last finished batch, and publishes a whole index', async () => {
  const reads: string[] = [];
  let troubles = 1;
  const job = indexFiles(async (path) => {
    if (basename(path) === '20.md' && troubles-- > 0) throw new Error('the disk is away');
    reads.push(basename(path));
    return readFileSync(path, 'utf8');
  });
  const target = join(place, 'search.db');
  const world = await openWorld({ jobs: [job] });
  const indexing = await world.enqueue(job, { folder, target });
  await world.runUntilIdle();
  assert.deepEqual(
    readdirSync(place).filter((name) => name === 'search.db'),
    [],
  );
  await world.clock.advance('1s');
  assert.equal((await indexing.ended()).state, 'succeeded');
  assert.equal(reads.filter((name) => name === '10.md').length, 1);
  const index = new SearchFile(target);
  assert.equal(index.count(), 21);
  assert.deepEqual(
    index.find('lost ratchet').map(({ path }) => path),
    ['30.html'],
  );
  index.close();
  await world.close();
});

test('indexing: what is read of a file is its text', () => {
  assert.equal(textOf('a.html', '<style>x</style><p>a</p>').trim(), 'a');
  assert.equal(textOf('a.md', 'see [the guide](x.md)'), 'see [the guide]');
  assert.equal(textOf('a.txt', 'a <b>'), 'a <b>');
});
