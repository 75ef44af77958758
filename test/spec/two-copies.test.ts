// Bundlers and package managers make copies of a package: jobs and errors of one are known to the
// other, although their classes are not the same.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { inRepository } from '../../scripts/run/repository.ts';
import { openPawl } from 'pawl/internal/pawl/open-pawl';
import { isPawlError, PawlError } from 'pawl/internal/core/errors';
import type * as Define from 'pawl/internal/handler/define-job';
import type * as Failure from 'pawl/internal/handler/failure';
import { fail, isJobFailure, JobFailure } from 'pawl/internal/handler/failure';
import { isJobType } from 'pawl/internal/handler/job-type';
import type * as Schemas from 'pawl/internal/handler/schema';
import { failureOf } from 'pawl/internal/handler/thrown-error';
import { openWorld } from 'pawl/testing';

mkdirSync(inRepository('.cache'), { recursive: true });
// Inside the repository, so that its packages are found.
const folder = mkdtempSync(inRepository('.cache/copy-'));
after(() => rmSync(folder, { recursive: true, force: true }));
for (const part of ['core', 'handler', 'lifecycles']) {
  cpSync(inRepository('packages/pawl/src', part), join(folder, part), { recursive: true });
}

async function copyOf<Module>(path: string): Promise<Module> {
  return (await import(pathToFileURL(join(folder, path)).href)) as Module;
}

const other = {
  ...(await copyOf<typeof Define>('handler/define-job.ts')),
  ...(await copyOf<typeof Failure>('handler/failure.ts')),
  ...(await copyOf<typeof Schemas>('handler/schema.ts')),
};

test('the copy is another: its classes are not ours', () => {
  assert.ok(!(other.fail('a', 'b') instanceof JobFailure));
});

test('a failure of another copy is known as one, with class, code and dead letter', async () => {
  const thrown = other.fail('quota_exceeded', 'too many', { code: 'Q1', details: { used: 7 } });
  assert.ok(isJobFailure(thrown));
  assert.ok(isJobFailure(new other.PermanentError('a subclass')));
  assert.ok(other.isJobFailure(fail('a', 'b')));
  const { class: errorClass, code, details } = failureOf(thrown, null);
  assert.deepEqual([errorClass, code, details], ['quota_exceeded', 'Q1', { used: 7 }]);
  assert.ok(!isPawlError(thrown));
});

test('jobs of another copy are enqueued, checked and run', async () => {
  const tidy = other.defineJob('tidy', {
    dlq: 'failed',
    run: () => {
      throw other.fail('quota_exceeded', 'too many', { deadLetter: 'policy_violation' });
    },
  });
  const walk = other.declareJob('walk', { input: other.typed<{ depth: number }>() });
  assert.ok(isJobType(walk));
  const world = await openWorld({ jobs: [tidy] });
  const job = await world.enqueue(tidy, { queue: 'night' });
  await world.runUntilIdle();
  const { queue, error } = await job.snapshot();
  assert.deepEqual([queue, error?.class], ['night', 'quota_exceeded']);
  const letters = await world.deadLetters.list();
  assert.equal(letters.items[0]?.reasonCode, 'policy_violation');
  await world.close();
  const pawl = await openPawl({ database: ':memory:', jobs: [tidy, walk] });
  assert.equal((await pawl.enqueue(tidy)).type, 'tidy');
  await assert.rejects(pawl.enqueue(walk, { depth: 1 }), { code: 'UNKNOWN_TYPE' });
  await pawl.close();
});

test('an invalid definition of another copy is a PawlError here', () => {
  assert.throws(() => other.defineJob('no blanks', { run: () => 1 }), isPawlError);
});

test('what is no error of the package, or throws when looked at, is none of them', () => {
  const hostile = new Proxy(new Error('x'), {
    get: () => {
      throw new Error('hands off');
    },
    getPrototypeOf: () => {
      throw new Error('hands off');
    },
  });
  for (const thrown of [new Error('x'), null, undefined, 'PawlError', {}, hostile]) {
    assert.deepEqual([isPawlError(thrown), isJobFailure(thrown)], [false, false]);
  }
  assert.ok(isPawlError(new PawlError('NOT_FOUND', 'x')));
  assert.deepEqual(Object.keys(new PawlError('NOT_FOUND', 'x')).toSorted(), [
    'code',
    'details',
    'faults',
    'name',
  ]);
});
