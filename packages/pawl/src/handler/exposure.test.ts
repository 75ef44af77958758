import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Type } from 'typebox';
import * as valibot from 'valibot';
import { z } from 'zod';
import { defineJob, typeDefinitionOf } from './define-job.ts';
import type { Exposure } from './exposure.ts';
import type { Schema } from './schema.ts';
import { fromTypebox } from './typebox.ts';

function exposedBy(input: Schema, expose: boolean | object = true): Exposure | undefined {
  const job = defineJob('job', { expose, input, run: () => null });
  return typeDefinitionOf(job).expose;
}

describe('the definition of a published type', () => {
  test('says nothing where nothing is published', () => {
    assert.equal(exposedBy(z.string(), false), undefined);
    assert.ok(!('expose' in typeDefinitionOf(defineJob('a', { run: () => 1 }))));
  });

  test('has the texts, and the schemas of zod and typebox as JSON Schema', () => {
    const title = { title: 'A title' };
    const byZod = exposedBy(z.object({ name: z.string().min(2) }), title)!;
    assert.equal(byZod.title, 'A title');
    const members = byZod.input!['properties'] as Record<string, unknown>;
    assert.deepEqual(members['name'], { type: 'string', minLength: 2 });
    const shape = Type.Object({ name: Type.Optional(Type.String()) });
    assert.deepEqual(exposedBy(fromTypebox(shape))!.input, {
      type: 'object',
      properties: { name: { type: 'string' } },
    });
  });

  test('has no schema where the library cannot say it as JSON', () => {
    assert.deepEqual(exposedBy(valibot.object({ name: valibot.string() })), {});
    assert.deepEqual(exposedBy(z.object({ at: z.date() })), {});
  });

  test('is plain JSON, as it is stored', () => {
    const exposed = exposedBy(z.object({ name: z.string() }));
    assert.deepEqual(JSON.parse(JSON.stringify(exposed)), exposed);
  });
});
