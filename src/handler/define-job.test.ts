import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Type } from 'typebox';
import type { Pawl } from '../app/pawl.ts';
import { PawlError } from '../core/errors.ts';
import { task } from '../lifecycles/task.ts';
import { defineJob, type JobDefinition, typeDefinitionOf } from './define-job.ts';
import { check, type Schema, trusted } from './schema.ts';
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

const mail = defineJob({
  type: 'mail',
  lifecycle: task,
  input: trusted<Mail>(),
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

const counted = defineJob({
  type: 'counted',
  lifecycle: task,
  input: countFromText,
  result: trusted<{ twice: number }>(),
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

defineJob({
  type: 'wrong-result',
  lifecycle: task,
  result: trusted<{ twice: number }>(),
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

describe('a job definition', () => {
  test('has types that run through: enqueueing a wrong input does not compile', () => {
    assert.equal(typeof enqueueAll, 'function');
    const result: JobDefinition<number, { twice: number }, string> = counted;
    assert.equal(result.type, 'counted');
  });

  test('registers as the type that the engine knows', () => {
    assert.deepEqual(typeDefinitionOf(mail), {
      lifecycle: 'task',
      stages: [{ name: 'send', min: 0, max: 100 }],
    });
  });

  test('[T16] is refused with stages that overlap, are there twice or have odd names', () => {
    const run = (): null => null;
    const base = { type: 'x', lifecycle: task, run };
    const of = (...stages: { name: string; min: number; max: number }[]): string[] =>
      faultsOf(() => defineJob({ ...base, stages }));
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

  test('is refused with a bad type, concurrency or isolation, all faults at once', () => {
    const faults = faultsOf(() =>
      defineJob({
        type: 'no blanks',
        lifecycle: task,
        concurrency: 0,
        isolation: { kind: 'thread', module: './here.ts', export: 'x', memoryMb: 1 },
        run: () => null,
      }),
    );
    const all = ['/isolation/module', '/isolation/memoryMb', '/type', '/concurrency'];
    assert.deepEqual(faults, all);
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

  test('may be left out: then everything fits', async () => {
    assert.deepEqual(await check(null, { any: 1 }), { value: { any: 1 } });
  });
});
