// Whatever is sent to it, a conversion ends: with a deck, or with a code that says what was wrong.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Job } from 'pawl/internal/core/job';
import { CONVERT_ERRORS } from '../src/convert/refusal.ts';
import { mutated } from './accidents.ts';
import { handMade } from './hostile.ts';
import type { HostileFile } from './hostile-parts.ts';
import { sharedStudio } from './fixture.ts';

const studio = sharedStudio();
/** What LibreOffice makes of broken files is not looked at here. */
process.env['PAWL_LIBREOFFICE'] = 'off';

/** Those that once went wrong are always among them. */
const ONCE_WRONG = [166];
/** All of them take minutes: `PAWL_HOSTILE=all`. */
const COUNT = process.env['PAWL_HOSTILE'] === 'all' ? 300 : 30;
const SEEDS = [...ONCE_WRONG, ...Array.from({ length: COUNT }, (_, seed) => seed)];

async function convert({ name, bytes }: HostileFile): Promise<Job> {
  const fixture = await studio();
  const assetRef = await fixture.upload(name, bytes);
  return fixture.run('convert', { assetRef });
}

function assertTyped({ state, attempts, error }: Job, what: string): void {
  assert.equal(attempts, 1, what);
  if (state === 'succeeded') return;
  assert.equal(state, 'failed', what);
  assert.ok(Object.hasOwn(CONVERT_ERRORS, error!.code ?? ''), `${what}: ${JSON.stringify(error)}`);
}

describe('a convert job', () => {
  for (const file of handMade()) {
    test(`[T6, T30] takes ${file.what} and ${file.code === null ? 'ends as it should' : `says ${file.code}`}`, async () => {
      const job = await convert(file);
      assertTyped(job, file.what);
      if (file.code !== null) assert.equal(job.error?.code, file.code);
    });
  }

  test(`[T6, T30] gives typed failures only for ${SEEDS.length} broken files, and the server does not grow`, async () => {
    const files = mutated(SEEDS);
    for (const file of files.slice(0, 5)) await convert(file);
    const before = process.memoryUsage().rss;
    const ends = new Map<string, number>();
    for (const file of files) {
      const job = await convert(file);
      assertTyped(job, file.what);
      const end = job.error?.code ?? job.state;
      ends.set(end, (ends.get(end) ?? 0) + 1);
    }
    assert.ok(ends.size > 1, JSON.stringify([...ends]));
    const grown = process.memoryUsage().rss - before;
    assert.ok(grown < 128 * 1024 ** 2, `${grown} bytes`);
  });
});
