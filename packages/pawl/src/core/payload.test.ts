import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { UNSTORABLE } from '../../../../test/support/hostile/texts.ts';
import { PAYLOADS, payloadRefusal } from './payload.ts';

const KIB = 1_024;

describe('a payload', () => {
  test('is kept up to its bound to the byte, and refused with the bound and a way out', () => {
    const json = (bytes: number): string => JSON.stringify('x'.repeat(bytes - 2));
    const { checkpoint, metadata, stageResult } = PAYLOADS;
    for (const kind of [checkpoint, metadata, stageResult]) {
      assert.equal(payloadRefusal(kind, json(kind.bytesMax), '/x'), null);
      const refusal = payloadRefusal(kind, json(kind.bytesMax + 1), '/x');
      assert.equal(refusal?.code, 'PAYLOAD_TOO_LARGE');
      const max = kind.bytesMax.toLocaleString('en-US');
      assert.ok(refusal.message.includes(`more than the ${max} that are kept: `));
      assert.ok(refusal.message.includes(kind.remedy));
    }
    assert.deepEqual([checkpoint.bytesMax, metadata.bytesMax], [1_024 * KIB, 64 * KIB]);
    assert.ok(payloadRefusal(metadata, JSON.stringify('é'.repeat(32 * KIB)), '/x') !== null);
  });

  test('with what no database can hold is refused, and the place is named', () => {
    for (const [name, text] of Object.entries(UNSTORABLE)) {
      const value = JSON.stringify({ pages: [{ 'a/b': 'fine' }, { 'a/b': text }] });
      const refusal = payloadRefusal(PAYLOADS.input, value, '/input');
      assert.equal(refusal?.code, 'VALIDATION_ERROR', name);
      assert.equal(refusal.faults[0]!.pointer, '/input/pages/1/a~1b');
      const key = JSON.stringify({ fine: 1, [text]: 2 });
      assert.match(payloadRefusal(PAYLOADS.input, key, '')!.message, /^the input holds U\+0000/);
    }
    assert.equal(payloadRefusal(PAYLOADS.input, JSON.stringify(['💥', '\\u0000']), ''), null);
  });
});
