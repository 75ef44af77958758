import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fieldsOf, type MessageSchema, valueIn } from './message-form.ts';

const SCHEMA: MessageSchema = {
  type: 'object',
  required: ['yes', 'by', 'size', 'level'],
  properties: {
    yes: { type: 'boolean', title: 'Do you agree?' },
    by: { type: 'string', minLength: 1, maxLength: 20, description: 'Your name.' },
    size: { enum: ['small', 'large'] },
    level: { anyOf: [{ const: 1 }, { const: 2 }] },
    amount: { type: 'integer', minimum: 1, maximum: 10 },
    notes: { type: 'string', maxLength: 5_000 },
    tags: { type: 'array', items: { type: 'string' } },
  },
};

const FILLED = {
  'value/yes': 'true',
  'value/by': 'Ann',
  'value/size': '"large"',
  'value/level': '2',
};

function read(schema: MessageSchema | null, fields: Record<string, string>): unknown {
  const answer = valueIn(schema, new Map(Object.entries(fields)));
  if ('value' in answer) return answer.value;
  return answer.faults.map(({ title, message }) => `${title} ${message}`);
}

describe('a form of a schema', () => {
  test('has a field for each member, by its kind', () => {
    assert.deepEqual(
      fieldsOf(SCHEMA).map(({ name, kind, isRequired }) => [name, kind, isRequired]),
      [
        ['yes', 'boolean', true],
        ['by', 'text', true],
        ['size', 'choice', true],
        ['level', 'choice', true],
        ['amount', 'number', false],
        ['notes', 'text', false],
        ['tags', 'json', false],
      ],
    );
  });

  test('gives the value that was filled in, and leaves out what was left empty', () => {
    assert.deepEqual(read(SCHEMA, { ...FILLED, 'value/amount': '', 'value/tags': '["a"]' }), {
      yes: true,
      by: 'Ann',
      size: 'large',
      level: 2,
      tags: ['a'],
    });
    const { 'value/yes': _, ...no } = FILLED;
    assert.equal((read(SCHEMA, no) as { yes: boolean }).yes, false);
  });

  test('says what is wrong by the titles of the fields', () => {
    assert.deepEqual(
      read(SCHEMA, { 'value/by': '', 'value/size': '"huge"', 'value/amount': '11' }),
      [
        'by is needed',
        'size must be one of the choices',
        'level is needed',
        'amount must be 10 or less',
      ],
    );
    const more = {
      ...FILLED,
      'value/amount': '1.5',
      'value/tags': '[',
      'value/by': 'x'.repeat(21),
    };
    assert.deepEqual(read(SCHEMA, more), [
      'by must have 20 characters or fewer',
      'amount must be a whole number',
      'tags must be JSON',
    ]);
  });

  test('of a schema that is no object asks for the value itself', () => {
    assert.equal(read({ type: 'string' }, { 'value/': 'yes' }), 'yes');
    assert.equal(read({ type: 'number' }, { 'value/': '4' }), 4);
    assert.deepEqual(read({ type: 'number' }, { 'value/': '' }), ['Answer is needed']);
  });

  test('of no schema takes a text, JSON where it is that, and nothing for null', () => {
    assert.equal(read(null, { 'value/': 'yes, please' }), 'yes, please');
    assert.deepEqual(read(null, { 'value/': '{"yes":true}' }), { yes: true });
    assert.equal(read(null, { 'value/': '' }), null);
  });
});
