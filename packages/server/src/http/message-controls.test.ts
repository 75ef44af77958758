import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fieldsOf } from 'pawl/internal/contract/message-form';
import { controlsOf } from './message-controls.ts';

test('the controls of a form escape what comes from schemas and from people', () => {
  const evil = '"><script>alert(1)</script>';
  const schema = {
    type: 'object',
    properties: { [evil]: { type: 'string', title: evil, description: evil, enum: [evil] } },
  };
  const html = controlsOf(fieldsOf(schema), new Map([[`value/${evil}`, evil]]));
  assert.doesNotMatch(html, /<script/);
  const text = controlsOf(fieldsOf({ type: 'string' }), new Map([['value/', evil]]));
  assert.doesNotMatch(text, /<script/);
});
