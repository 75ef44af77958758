// What a handler throws × its lifecycle × where it runs → how the job ends, after how many
// attempts, and what is kept of the error.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type InnerPawl, openInner } from '../support/inner-pawl.ts';
import { ApiClient, RemoteSource } from 'pawl/client';
import { BOUNDS, CAUSES_MAX } from 'pawl/internal/core/bounds';
import type { Job, JobError } from 'pawl/internal/core/job';
import type { JobDefinition } from 'pawl/internal/handler/define-job';
import { buildServer } from '@pawl/server/internal/http/server';
import { openWorker } from 'pawl/internal/worker/open-worker';
import { type Kind, type LifecycleName, throwingJobs } from '../fixtures/handlers/throwing.ts';
import { type Thrown, THROWN_NAMES } from '../support/hostile/errors.ts';

/** Where a handler runs: in one of the three isolations, or inline in a worker behind HTTP. */
type Place = Kind | 'remote';

const PLACES: readonly Place[] = ['inline', 'thread', 'process', 'remote'];

/** How a job ends that fails for good, and the classes that its lifecycle's own list retries. */
const LIFECYCLES: Readonly<
  Record<LifecycleName, { end: string; attempts: number; only: readonly string[] | null }>
> = {
  document: { end: 'FAILED', attempts: 4, only: ['timeout'] },
  process: { end: 'failed', attempts: 2, only: ['network_timeout'] },
  platform: { end: 'DEAD', attempts: 2, only: null },
  task: { end: 'failed', attempts: 2, only: null },
  distributed: { end: 'failed', attempts: 2, only: null },
  errand: { end: 'lost', attempts: 2, only: null },
};

/** Of what class an error is, and whether anything is known of where it was thrown. */
interface Kept {
  readonly class: string;
  readonly hasStack: boolean;
  readonly isFinal?: true;
}

const error = { class: 'Error', hasStack: true };
const thing = { class: 'Error', hasStack: false };

const KEPT: Readonly<Record<Thrown, Kept>> = {
  Error: error,
  TypeError: { class: 'TypeError', hasStack: true },
  TransientError: { class: 'TransientError', hasStack: true },
  PermanentError: { class: 'PermanentError', hasStack: true, isFinal: true },
  ValidationError: { class: 'ValidationError', hasStack: true, isFinal: true },
  network_timeout: { class: 'network_timeout', hasStack: true },
  timeout: { class: 'timeout', hasStack: true },
  'a subclass of Error': { class: 'BadAddress', hasStack: true },
  'a subclass of TransientError': { class: 'TransientError', hasStack: true },
  'a rejected fetch': { class: 'TypeError', hasStack: true },
  'a string': thing,
  'the number 7': thing,
  null: thing,
  undefined: thing,
  'a symbol': thing,
  'a function': thing,
  'a plain object': thing,
  'an object without a prototype': thing,
  'a hostile proxy': thing,
  'a revoked proxy': thing,
  'throwing getters': thing,
  'a circle': error,
  'an AggregateError with causes': { class: 'AggregateError', hasStack: true },
  'own properties': error,
  'a 50 MB message': error,
  'a 50 MB property': error,
  'a deep property': error,
  'many causes': { class: 'AggregateError', hasStack: true },
  'unstorable texts': error,
  // Not even Node can write the stack of such an error.
  'a name that is a symbol': thing,
  'a message that is an object': error,
  'a stack that is a number': thing,
};

const MESSAGES: Partial<Record<Thrown, string>> = {
  'a string': 'just words',
  'the number 7': '7 was thrown',
  null: 'null was thrown',
  undefined: 'undefined was thrown',
  'a symbol': 'Symbol(sign) was thrown',
  'a plain object': 'an object that is not an Error was thrown',
  'a hostile proxy': 'an object that is not an Error was thrown',
  'a rejected fetch': 'fetch failed',
  'throwing getters': 'the message of the error cannot be read',
  'unstorable texts': 'NUL \ufffd and half \ufffd',
};

interface Site {
  readonly pawl: InnerPawl;
  readonly jobs: Readonly<Record<LifecycleName, JobDefinition<Thrown>>>;
  close(): Promise<void>;
}

async function openSite(place: Place): Promise<Site> {
  const jobs = throwingJobs(place === 'remote' ? 'inline' : place);
  const pawl = await openInner({ database: ':memory:', jobs: Object.values(jobs) });
  if (place !== 'remote') {
    pawl.work({ slots: 6 });
    return { pawl, jobs, close: () => pawl.close() };
  }
  const { context, engine } = pawl;
  const server = await buildServer({ engine, doctor: context, slo: context });
  const url = await server.listen({ port: 0, host: '127.0.0.1' });
  const { connection } = new ApiClient({ url });
  const source = new RemoteSource({ connection, waitMs: 50 });
  const worker = openWorker({ source, jobs: Object.values(jobs), slots: 6 });
  worker.start();
  const close = async (): Promise<void> => {
    await worker.drain();
    await server.close();
    await pawl.close();
  };
  return { pawl, jobs, close };
}

function attemptsOf(lifecycle: LifecycleName, { class: errorClass, isFinal }: Kept): number {
  const { attempts, only } = LIFECYCLES[lifecycle];
  if (isFinal === true) return 1;
  return only === null || only.includes(errorClass) ? attempts : 1;
}

function assertKept(thrown: Thrown, kept: JobError): void {
  assert.equal(kept.class, KEPT[thrown].class, thrown);
  assert.equal(kept.stack !== undefined, KEPT[thrown].hasStack, `the stack of ${thrown}`);
  const message = MESSAGES[thrown];
  if (message !== undefined) assert.equal(kept.message, message);
  assert.ok(Buffer.byteLength(kept.message) <= BOUNDS.errorMessage);
  assert.ok(Buffer.byteLength(kept.stack ?? '') <= BOUNDS.errorStack);
  assert.ok((kept.causes ?? []).length <= CAUSES_MAX);
  assert.ok(Buffer.byteLength(JSON.stringify(kept)) <= BOUNDS.error);
}

const sites = new Map<Place, Site>();
const ends = new Map<string, Promise<Job>>();

// All of them at once: most of the time is the second that a document waits for its retries.
before(async () => {
  for (const place of PLACES) {
    const site = await openSite(place);
    sites.set(place, site);
    for (const [lifecycle, job] of Object.entries(site.jobs)) {
      for (const thrown of THROWN_NAMES) {
        const made = await site.pawl.enqueue(job, thrown);
        ends.set(`${place} ${lifecycle} ${thrown}`, site.pawl.ended(made));
      }
    }
  }
});
after(async () => {
  await Promise.allSettled(ends.values());
  for (const site of sites.values()) await site.close();
});

for (const place of PLACES) {
  describe(`thrown in ${place}`, () => {
    const ended = (lifecycle: LifecycleName, thrown: Thrown): Promise<Job> =>
      ends.get(`${place} ${lifecycle} ${thrown}`)!;

    for (const lifecycle of Object.keys(LIFECYCLES) as LifecycleName[]) {
      test(`[D4, D5, D6, P7, R12] in ${lifecycle}, everything ends as its table says`, async () => {
        for (const thrown of THROWN_NAMES) {
          const job = await ended(lifecycle, thrown);
          const expected = [LIFECYCLES[lifecycle].end, attemptsOf(lifecycle, KEPT[thrown])];
          assert.deepEqual([job.state, job.attempts], expected, thrown);
          assertKept(thrown, job.error!);
        }
      });
    }

    const kept = async (thrown: Thrown): Promise<JobError> => (await ended('task', thrown)).error!;

    test('a stack leads to the line that threw', async () => {
      for (const thrown of ['Error', 'a subclass of Error', 'a 50 MB message'] as const) {
        assert.match((await kept(thrown)).stack!, /hostile\/errors\.ts:\d+:\d+/, thrown);
      }
    });

    test('causes are kept in order, those of an AggregateError and their own included', async () => {
      const { causes } = await kept('an AggregateError with causes');
      assert.deepEqual(
        causes!.map(({ class: name, message, code, stack }) => [name, message, code, typeof stack]),
        [
          ['Error', 'no network', undefined, 'string'],
          ['TypeError', 'mirror one', undefined, 'string'],
          ['RangeError', 'mirror two', undefined, 'string'],
          ['Error', 'connect ECONNREFUSED', 'ECONNREFUSED', 'string'],
        ],
      );
      const many = (await kept('many causes')).causes!;
      assert.deepEqual([many.length, many.at(-1)!.message], [8, '13 causes more']);
      assert.equal((await kept('a rejected fetch')).causes![0]!.code, 'ECONNREFUSED');
    });

    test('own properties and code are kept, and secrets are not', async () => {
      const { code, details } = await kept('own properties');
      assert.equal(code, 'E_API');
      assert.deepEqual(details, {
        status: 503,
        at: '1970-01-01T00:00:00.000Z',
        body: '[1000000 bytes]',
        response: { headers: { Authorization: '[redacted]', date: 'today' } },
      });
      assert.deepEqual((await kept('timeout')).details, { ms: 5 });
      assert.deepEqual((await kept('a plain object')).details, { reason: 'none', list: [1, 2] });
    });

    test('what was too long is cut, and says by how much', async () => {
      const { message } = await kept('a 50 MB message');
      const [head, bytes] = message.split('… ');
      assert.equal(`${(52_428_800 - head!.length).toLocaleString('en-US')} bytes more`, bytes);
      assert.ok(Buffer.byteLength(message) > BOUNDS.errorMessage - 64);
      const { details } = await kept('a 50 MB property');
      assert.match((details as { dump: string }).dump, /^y+… [\d,]+ bytes more$/);
    });

    test('a circle and broken members are told as far as they can be', async () => {
      const { details, causes } = await kept('a circle');
      assert.deepEqual(
        causes!.map(({ message }) => message),
        ['and round'],
      );
      assert.equal((details as { self: { message: string } }).self.message, 'round');
      assert.equal((await kept('throwing getters')).details, undefined);
    });
  });
}
