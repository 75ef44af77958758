import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fc } from '../../../../test/support/properties.ts';
import { anyText } from '../../../../test/support/hostile/texts.ts';
import { aesCodec } from '../codec/aes-codec.ts';
import { newPayloadKey } from '../codec/key-ring.ts';
import { boundedFailure } from './bounded-error.ts';
import { BOUNDS } from './bounds.ts';
import type { Failure } from './decision.ts';
import { isStorableJson } from './text.ts';

const causes = fc.record(
  { class: anyText, message: anyText, code: anyText, stack: anyText, details: fc.anything() },
  { requiredKeys: ['class', 'message'] },
);

const failures = fc.record(
  {
    class: anyText,
    message: anyText,
    code: anyText,
    stage: anyText,
    details: fc.oneof(fc.anything(), fc.object({ values: [anyText] })),
    stack: anyText,
    causes: fc.array(causes, { maxLength: 12 }),
    classes: fc.array(anyText, { maxLength: 20 }),
    retryable: fc.boolean(),
  },
  { requiredKeys: ['class', 'message'] },
) as fc.Arbitrary<Failure>;

function bytesOf(text: string | null | undefined): number {
  return Buffer.byteLength(text ?? '');
}

describe('an error as it is kept', () => {
  test('is within every bound, whatever was reported', () => {
    fc.assert(
      fc.property(failures, (failure) => {
        const { classes = [], ...kept } = boundedFailure(failure);
        assert.ok(bytesOf(kept.message) <= BOUNDS.errorMessage);
        assert.ok(bytesOf(kept.stack) <= BOUNDS.errorStack);
        assert.ok((kept.causes ?? []).length <= 8);
        for (const name of [kept.class, kept.code, kept.stage, ...classes]) {
          assert.ok(bytesOf(name) <= BOUNDS.errorLabel);
        }
        // With what the platform adds: whether it is retried, and a hint of at most 1 KiB.
        const hint = 'h'.repeat(BOUNDS.errorHint);
        const json = JSON.stringify({ ...kept, retryable: true, hint });
        assert.ok(bytesOf(json) <= BOUNDS.error, `${bytesOf(json)} bytes`);
        assert.ok(isStorableJson(json));
      }),
      { numRuns: 100 },
    );
  });

  test('is the same when it is bounded again', () => {
    fc.assert(
      fc.property(failures, (failure) => {
        const once = boundedFailure(failure);
        assert.deepEqual(boundedFailure(once), once);
      }),
      { numRuns: 100 },
    );
  });

  test('is just what was reported where that is small', () => {
    const failure = {
      class: 'Oops',
      message: 'it broke',
      code: 'E1',
      stage: 'render',
      details: { at: [1, null, 'x'] },
      stack: 'Oops: it broke\n    at here',
      causes: [{ class: 'Error', message: 'why', code: 'E2', stack: 's', details: { a: 1 } }],
      classes: ['Oops', 'Error'],
      retryable: false,
    };
    assert.deepEqual(boundedFailure(failure), failure);
    const bare = { class: 'Oops', message: '' };
    assert.deepEqual(boundedFailure(bare), { ...bare, code: null, stage: null });
  });

  test('has 16 KiB of message, 32 KiB of stack and the rest for details and causes', () => {
    const text = 'x'.repeat(100_000);
    const cause = { class: 'Error', message: text, stack: text };
    const kept = boundedFailure({
      class: 'E',
      message: text,
      stack: text,
      details: { text },
      causes: Array.from({ length: 8 }, () => cause),
    });
    assert.equal(bytesOf(kept.message), BOUNDS.errorMessage - 40 + bytesOf('… 83,656 bytes more'));
    assert.ok(bytesOf(kept.stack) > BOUNDS.errorStack - 40);
    assert.equal(kept.causes!.length, 8);
    for (const { message, stack } of kept.causes!) {
      assert.match(`${message}${stack}`, /^x+… [\d,]+ bytes morex+… [\d,]+ bytes more$/);
    }
    const bytes = bytesOf(JSON.stringify(kept));
    assert.ok(bytes > 0.8 * BOUNDS.error && bytes <= BOUNDS.error, `${bytes} bytes`);
  });

  test('says how many causes more there were', () => {
    const list = Array.from({ length: 12 }, (_, n) => ({ class: 'Error', message: `${n}` }));
    const kept = boundedFailure({ class: 'E', message: '', causes: list }).causes!;
    assert.deepEqual(
      kept.map(({ message }) => message),
      ['0', '1', '2', '3', '4', '5', '6', '5 causes more'],
    );
  });

  test('is not touched where only its owner can read it', () => {
    const codec = aesCodec({ keys: [newPayloadKey('k')] });
    const place = { tenant: 't', jobId: 'j', field: 'error.message' } as const;
    const seal = (bytes: number): string => codec.encodeText(place, 'x'.repeat(bytes));
    const failure = {
      class: 'E',
      message: seal(BOUNDS.errorMessage),
      stack: seal(BOUNDS.errorStack - 8_192),
      details: seal(4_096),
      causes: [{ class: 'E', message: seal(1_024), stack: seal(1_024) }],
      code: null,
      stage: null,
    };
    assert.deepEqual(boundedFailure(failure), failure);
    const tooLong = boundedFailure({ class: 'E', message: seal(2 * BOUNDS.errorMessage) });
    assert.match(tooLong.message, /^… [\d,]+ bytes more$/);
  });

  test('is made of whatever somebody sends for one', () => {
    const sent = { class: undefined, message: { a: 1 }, code: 7, causes: 'none', classes: 3 };
    assert.deepEqual(boundedFailure(sent as unknown as Failure), {
      class: 'undefined',
      message: '[object Object]',
      code: '7',
      stage: null,
    });
  });
});
