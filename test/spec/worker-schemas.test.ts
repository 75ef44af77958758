// One job, its input described with three schema libraries: what does not fit is refused before it
// is stored, and what has the wrong type does not compile.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Type } from 'typebox';
import * as v from 'valibot';
import { z } from 'zod';
import type { PawlClient } from 'pawl/client';
import type { Fault } from 'pawl/internal/core/errors';
import { defineJob, type JobDefinition, typeDefinitionOf } from 'pawl/internal/handler/define-job';
import { fromTypebox } from 'pawl/internal/handler/typebox';
import { task } from 'pawl/internal/lifecycles/task';
import { openPawl } from 'pawl/internal/pawl/open-pawl';
import type { Pawl } from 'pawl/internal/pawl/pawl';
import { openWorld } from 'pawl/testing';
import { openStation } from './http-station.ts';

interface Tiles {
  readonly bbox: [number, number];
  readonly zoom: number;
}

const base = { lifecycle: task, stages: [{ name: 'draw', min: 0, max: 100 }] } as const;

const withZod = defineJob('with-zod', {
  ...base,
  input: z.object({ bbox: z.tuple([z.number(), z.number()]), zoom: z.number().int().max(18) }),
  result: z.object({ drawn: z.number() }),
  run: async ({ input, stage }) => {
    const zoom: number = input.zoom;
    const west: number = input.bbox[0];
    // @ts-expect-error a member that the schema does not have
    void input.zooom;
    // @ts-expect-error a number is no text
    const wrong: string = input.zoom;
    void wrong;
    return { drawn: await stage('draw', () => zoom + west) };
  },
});

const withValibot = defineJob('with-valibot', {
  ...base,
  input: v.object({
    bbox: v.tuple([v.number(), v.number()]),
    zoom: v.pipe(v.number(), v.integer(), v.maxValue(18)),
  }),
  result: v.object({ drawn: v.number() }),
  run: ({ input }) => {
    // @ts-expect-error a member that the schema does not have
    void input.zooom;
    return { drawn: input.zoom + input.bbox[0] };
  },
});

const withTypebox = defineJob('with-typebox', {
  ...base,
  input: fromTypebox(
    Type.Object({
      bbox: Type.Tuple([Type.Number(), Type.Number()]),
      zoom: Type.Integer({ maximum: 18 }),
    }),
  ),
  result: fromTypebox(Type.Object({ drawn: Type.Number() })),
  run: ({ input }) => {
    // @ts-expect-error a member that the schema does not have
    void input.zooom;
    return { drawn: input.zoom + input.bbox[0] };
  },
});

/** What goes in is not what comes out: the caller gives text, the handler gets a date. */
const dated = defineJob('dated', {
  input: z.object({ day: z.iso.date().transform((day) => new Date(day)) }),
  run: ({ input }) => input.day.getUTCFullYear(),
});

defineJob('wrong-result', {
  ...base,
  result: z.object({ drawn: z.number() }),
  // @ts-expect-error the schema of the result wants a number
  run: () => ({ drawn: 'a lot' }),
});

/** Never called: what compiles, and what does not, is the test. */
async function enqueueAll(pawl: Pawl, client: PawlClient): Promise<void> {
  const good = { bbox: [1, 2] as [number, number], zoom: 3 };
  await pawl.enqueue(withZod, good);
  await client.enqueue(withZod, good, { key: 'k', queue: 'maps' });
  await client.api.enqueue({ type: 'with-zod', input: 'of a type unknown here' });
  // @ts-expect-error the API, route by route, takes no definitions
  await client.api.enqueue(withZod);
  // @ts-expect-error zod: a member is missing
  await pawl.enqueue(withZod, { zoom: 3 });
  // @ts-expect-error zod, through the client
  await client.enqueue(withZod, { zoom: 3 });
  // @ts-expect-error nothing at all, through the client
  await client.enqueue(withZod);
  // @ts-expect-error no object, through the client
  await client.enqueue(withZod, {});
  // @ts-expect-error valibot: a member is of another type
  await pawl.enqueue(withValibot, { ...good, zoom: '3' });
  // @ts-expect-error valibot, through the client
  await client.enqueue(withValibot, { ...good, zoom: '3' });
  // @ts-expect-error typebox: a tuple of two, not of three
  await pawl.enqueue(withTypebox, { ...good, bbox: [1, 2, 3] });
  // @ts-expect-error typebox, through the client
  await client.enqueue(withTypebox, { ...good, bbox: [1, 2, 3] });
  await pawl.enqueue(dated, { day: '2026-01-01' });
  // @ts-expect-error what goes into the schema counts, not what comes out
  await pawl.enqueue(dated, { day: new Date() });
}

function pointersOf(error: unknown): string[] {
  const { code, faults } = error as { code: string; faults: readonly Fault[] };
  assert.equal(code, 'VALIDATION_ERROR');
  return faults.map(({ pointer }) => pointer).toSorted();
}

const JOBS: Record<string, JobDefinition<Tiles>> = {
  zod: withZod,
  valibot: withValibot,
  typebox: withTypebox,
};
const GOOD: Tiles = { bbox: [1, 2], zoom: 3 };
const WRONG: readonly [what: string, input: unknown, pointers: readonly string[]][] = [
  ['a number beyond its bound', { bbox: [1, 2], zoom: 30 }, ['/input/zoom']],
  ['a missing member', { bbox: [1, 2] }, ['/input/zoom']],
  ['a wrong element of a list', { bbox: [1, 'two'], zoom: 3 }, ['/input/bbox/1']],
  ['two faults at once', { bbox: ['one', 2], zoom: 'x' }, ['/input/bbox/0', '/input/zoom']],
];

test('types run through: enqueueing a wrong input does not compile', () => {
  assert.equal(typeof enqueueAll, 'function');
});

for (const [library, job] of Object.entries(JOBS)) {
  describe(`an input described with ${library}`, () => {
    for (const [what, input, pointers] of WRONG) {
      test(`is refused at enqueue for ${what}, by its path`, async () => {
        const pawl = await openPawl({ database: ':memory:', jobs: [job] });
        const refused = await pawl.enqueue(job, input as Tiles).catch(pointersOf);
        assert.deepEqual(refused, pointers);
        assert.deepEqual((await pawl.jobs()).items, [], 'nothing was stored');
        await pawl.close();
      });
    }

    test('that fits runs, and its result is held against its own schema', async () => {
      const world = await openWorld({ jobs: [job] });
      const accepted = await world.enqueue(job, GOOD);
      assert.deepEqual(await accepted.result(), { drawn: 4 });
      world.stub(job, () => ({ drawn: 'a lot' }));
      const { error } = await (await world.enqueue(job, GOOD)).ended();
      assert.deepEqual([error?.class, error?.stage], ['ValidationError', 'output']);
      assert.match(error!.message, /\/drawn/);
    });
  });
}

describe('the client with a definition', async () => {
  const { api, pawl } = await openStation();
  for (const job of Object.values(JOBS)) {
    await api.put(`/v1/types/${job.type}`, typeDefinitionOf(job));
    test(`${job.type}: sends what fits and refuses the rest before it is sent`, async () => {
      const made = await pawl.enqueue(job, GOOD, { queue: 'maps' });
      const { type, queue, state } = await made.snapshot();
      assert.deepEqual([type, queue, state], [job.type, 'maps', 'pending']);
      const refused = await pawl.enqueue(job, { zoom: 30 } as Tiles).catch(pointersOf);
      assert.deepEqual(refused, ['/input/bbox', '/input/zoom']);
      const { items } = await pawl.jobs({ type: job });
      assert.equal(items.length, 1);
    });
  }
});
