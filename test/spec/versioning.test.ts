import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { INTRODUCTION } from '@pawl/server/internal/http/openapi-text';
import { type Shapes, shapesNow } from './shapes.ts';

const recorded = JSON.parse(
  readFileSync(new URL('../fixtures/v1-shapes.json', import.meta.url), 'utf8'),
) as Shapes;

test('[R31] answers of version 1 only gain members; none is lost or turns optional', () => {
  const { members } = shapesNow();
  for (const [schema, before] of Object.entries(recorded.members)) {
    const after = members[schema] ?? {};
    for (const [name, presence] of Object.entries(before)) {
      assert.ok(name in after, `${schema}.${name} is gone`);
      if (presence === 'always') assert.equal(after[name], 'always', `${schema}.${name}`);
    }
  }
});

test('[R31] requests of version 1 stay good: what was optional stays so, and nothing is demanded', () => {
  const { NewJob: after = {} } = shapesNow().members;
  const { NewJob: before = {} } = recorded.members;
  for (const [name, presence] of Object.entries(after)) {
    if (presence === 'always') assert.equal(before[name], 'always', `${name} became required`);
  }
});

test('[R31] event types, phases and error codes of version 1 stay', () => {
  const now = shapesNow();
  for (const type of recorded.events) assert.ok(now.events.includes(type), type);
  assert.deepEqual(now.phases, recorded.phases);
  for (const [code, status] of Object.entries(recorded.codes)) {
    assert.equal(now.codes[code], status, code);
  }
});

test('[R31] a lifecycle of a version never changes: another table is another version', () => {
  const { lifecycles } = shapesNow();
  for (const [name, rows] of Object.entries(recorded.lifecycles)) {
    assert.deepEqual(lifecycles[name], rows, name);
  }
});

test('[P5] the README and the API say what is not promised', () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  for (const text of [readme, INTRODUCTION]) {
    assert.match(text, /exactly-once execution/i);
    assert.match(text, /real-time/i);
    assert.match(text, /order across jobs/i);
  }
});
