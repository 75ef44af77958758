import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Type } from 'typebox';
import type { Pawl } from '../pawl/pawl.ts';
import { PawlError } from '../core/errors.ts';
import { distributed } from '../lifecycles/distributed.ts';
import { document } from '../lifecycles/document.ts';
import { task } from '../lifecycles/task.ts';
import {
  declareJob,
  defineJob,
  definitionsIn,
  isJobDefinition,
  type JobDefinition,
  typeDefinitionOf,
} from './define-job.ts';
import { isJobType, type JobType } from './job-type.ts';
import { check, noInput, type Schema, typed } from './schema.ts';
import { fromTypebox } from './typebox.ts';

interface Mail {
  readonly to: string;
  readonly copies: number;
}

/** What a schema library gives: text goes in, a number comes out. */
const countFromText: Schema<string, number> = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value) =>
      /^\d+$/.test(String(value))
        ? { value: Number(value) }
        : { issues: [{ message: 'must be digits', path: ['a/b', { key: 0 }] }] },
  },
};

const mail = defineJob('mail', {
  input: typed<Mail>(),
  stages: [{ name: 'send', min: 0, max: 100 }],
  run: async ({ input, stage }) => {
    const sent: number = await stage('send', () => input.copies);
    // @ts-expect-error a stage that was not declared
    void (() => stage('sned', () => 1));
    // @ts-expect-error a member that the input does not have
    void input.from;
    return { sent };
  },
});

const counted = defineJob('counted', {
  input: countFromText,
  result: typed<{ twice: number }>(),
  run: ({ input }) => ({ twice: input * 2 }),
});

/** Never called: what compiles, and what does not, is the test. */
async function enqueueAll(pawl: Pawl): Promise<void> {
  await pawl.enqueue(mail, { to: 'a@example.org', copies: 2 });
  // @ts-expect-error a member is missing
  await pawl.enqueue(mail, { to: 'a@example.org' });
  // @ts-expect-error a member is of another type
  await pawl.enqueue(mail, { to: 'a@example.org', copies: 'two' });
  // @ts-expect-error nothing at all
  await pawl.enqueue(mail, null);
  await pawl.enqueue(counted, '12');
  // @ts-expect-error what goes into the schema counts, not what comes out
  await pawl.enqueue(counted, 12);
}

defineJob('wrong-result', {
  result: typed<{ twice: number }>(),
  // @ts-expect-error the handler returns what the schema of the result does not allow
  run: () => ({ twice: 'a lot' }),
});

function faultsOf(define: () => unknown): string[] {
  try {
    define();
  } catch (error) {
    assert.ok(error instanceof PawlError && error.code === 'VALIDATION_ERROR');
    return error.faults.map(({ pointer }) => pointer);
  }
  return [];
}

const run = (): null => null;

describe('a job definition', () => {
  test('has types that run through: enqueueing a wrong input does not compile', () => {
    assert.equal(typeof enqueueAll, 'function');
    const result: JobDefinition<string, { twice: number }> = counted;
    assert.equal(result.type, 'counted');
  });

  test('registers as the type that the engine knows, of the lifecycle task unless it says', () => {
    assert.deepEqual(typeDefinitionOf(mail), {
      lifecycle: 'task',
      stages: [{ name: 'send', min: 0, max: 100 }],
    });
    assert.equal(typeDefinitionOf(defineJob('x', { run })).lifecycle, task.name);
    const other = defineJob('x', { lifecycle: distributed, run });
    assert.equal(typeDefinitionOf(other).lifecycle, 'distributed');
  });

  test("keeps the lists of its author, and its lifecycle's where none is given", () => {
    const isBusy = (): boolean => true;
    const { matchers } = defineJob('x', { retryable: [Error, isBusy], fatal: ['Bad'], run });
    assert.deepEqual(matchers, { retryable: [Error, isBusy], fatal: ['Bad'] });
    assert.deepEqual(defineJob('x', { run }).matchers, { retryable: null, fatal: [] });
    const { retryable } = document.defaults;
    const paper = defineJob('x', { lifecycle: document, run });
    assert.deepEqual(paper.matchers, { retryable, fatal: [] });
    const all = defineJob('x', { lifecycle: document, retryable: null, run });
    assert.equal(all.matchers.retryable, null);
  });

  test('tells what it takes: nothing, a JSON Schema, or that nobody can say', () => {
    const schemaOf = (job: JobDefinition) => typeDefinitionOf(job).inputSchema;
    assert.equal(schemaOf(defineJob('x', { run })), false);
    assert.equal(schemaOf(mail), undefined);
    const zoom = fromTypebox(Type.Object({ zoom: Type.Integer() }));
    const shape = { type: 'object', required: ['zoom'], properties: { zoom: { type: 'integer' } } };
    assert.deepEqual(schemaOf(defineJob('x', { input: zoom, run })), shape);
    assert.deepEqual(
      schemaOf(defineJob('x', { input: typed<unknown>(), intake: zoom, run })),
      shape,
    );
  });

  test('[T16] is refused with stages that overlap, are there twice or have odd names', () => {
    const of = (...stages: { name: string; min: number; max: number }[]): string[] =>
      faultsOf(() => defineJob('x', { run, stages }));
    assert.deepEqual(of({ name: 'a', min: 0, max: 50 }, { name: 'b', min: 50, max: 100 }), []);
    assert.deepEqual(of({ name: 'a', min: 0, max: 60 }, { name: 'b', min: 50, max: 100 }), [
      '/stages/1/min',
    ]);
    assert.deepEqual(of({ name: 'a', min: 0, max: 50 }, { name: 'a', min: 50, max: 100 }), [
      '/stages/1/name',
    ]);
    assert.deepEqual(of({ name: 'a', min: 50, max: 20 }), ['/stages/0']);
    assert.deepEqual(of({ name: 'once:a', min: 0, max: 20 }), ['/stages/0/name']);
  });

  test('is refused with a bad type, duration, concurrency or isolation, all faults at once', () => {
    const faults = faultsOf(() =>
      defineJob('no blanks', {
        concurrency: 0,
        timeout: -1,
        isolation: { kind: 'thread', module: './here.ts', export: 'x', memoryMb: 1 },
        run,
      }),
    );
    const all = ['/timeout', '/isolation/module', '/isolation/memoryMb', '/type', '/concurrency'];
    assert.deepEqual(faults, all);
  });

  test('is refused without a handler, as a program without a compiler may write it', () => {
    assert.deepEqual(
      faultsOf(() => defineJob('x', {} as { run: () => null })),
      ['/run'],
    );
  });
});

describe('a declared job', () => {
  const walk = declareJob('walk', { input: typed<{ depth: number }>(), result: typed<number>() });

  test('is a job type without a handler, which `handle` adds', () => {
    assert.ok(isJobType(walk) && !isJobDefinition(walk));
    const walker = walk.handle({ maxAttempts: 2, run: ({ input }) => input.depth });
    assert.ok(isJobDefinition(walker) && !('handle' in walker));
    assert.deepEqual([walker.type, walker.policy], ['walk', { retry: { maxAttempts: 2 } }]);
    assert.equal(walker.input, walk.input);
    const same = defineJob('walk', { input: walk.input, maxAttempts: 2, run: walker.run });
    assert.deepEqual(typeDefinitionOf(walker), typeDefinitionOf(same));
  });

  test('without `input` takes none', () => {
    const tidy = declareJob('tidy');
    assert.deepEqual([tidy.takesInput, tidy.input], [false, noInput]);
    assert.equal(typeDefinitionOf(tidy.handle({ run })).inputSchema, false);
  });

  test('is refused with a bad type, and its handler with all that is wrong there', () => {
    assert.deepEqual(
      faultsOf(() => declareJob('no blanks')),
      ['/type'],
    );
    assert.deepEqual(
      faultsOf(() => walk.handle({ timeout: NaN, concurrency: 0, run: () => 1 })),
      ['/timeout', '/concurrency'],
    );
  });

  test('is left out of the jobs that a program works on, and what is no job is refused', () => {
    assert.deepEqual(definitionsIn([walk, mail]), [mail]);
    const strange = [mail, { type: 'x', run }, null] as unknown as JobType[];
    assert.deepEqual(
      faultsOf(() => definitionsIn(strange)),
      ['/jobs/1', '/jobs/2'],
    );
  });
});

describe('a revision', () => {
  const run = (): void => undefined;

  test('names the code of a handler, of one job or of many, and pins only when asked to', () => {
    assert.deepEqual(defineJob('a', { revision: 'v3', run }).revision, { name: 'v3', pin: false });
    const many = declareJob('b').runMany(
      { max: 2, wait: 5, revision: '4f0c1d2', pin: true },
      () => undefined,
    );
    assert.deepEqual(many.revision, { name: '4f0c1d2', pin: true });
    assert.equal(defineJob('c', { run }).revision, undefined);
  });

  test('is refused where it is no name, and a pin without one too', () => {
    for (const revision of ['', 'v 3', 'v@3', 'v'.repeat(65), 3 as never]) {
      assert.deepEqual(
        faultsOf(() => defineJob('a', { revision, run })),
        ['/revision'],
      );
    }
    assert.deepEqual(
      faultsOf(() => defineJob('a', { pin: true, run })),
      ['/pin'],
    );
    const wrong = { revision: 'v1', pin: 'yes' as never, run };
    assert.deepEqual(
      faultsOf(() => defineJob('a', wrong)),
      ['/pin'],
    );
  });
});

describe('a schema', () => {
  test('of any library that speaks Standard Schema fits, faults and all', async () => {
    assert.deepEqual(await check(countFromText, '12'), { value: 12 });
    assert.deepEqual(await check(countFromText, 'x'), {
      faults: [{ pointer: '/a~1b/0', message: 'must be digits' }],
    });
  });

  test('of typebox fits by `fromTypebox`', async () => {
    const schema = fromTypebox(Type.Object({ zoom: Type.Integer({ maximum: 18 }) }));
    assert.deepEqual(await check(schema, { zoom: 3 }), { value: { zoom: 3 } });
    const refused = await check(schema, { zoom: 30 });
    assert.equal('faults' in refused && refused.faults[0].pointer, '/zoom');
  });

  test('may be left out for a result: then everything fits', async () => {
    assert.deepEqual(await check(null, { any: 1 }), { value: { any: 1 } });
  });

  test('left out for an input lets nothing through but nothing', async () => {
    for (const none of [null, undefined]) {
      assert.deepEqual(await check(noInput, none), { value: undefined });
    }
    for (const some of [{}, [], '', 0, false]) {
      assert.ok('faults' in (await check(noInput, some)), JSON.stringify(some));
    }
  });
});
