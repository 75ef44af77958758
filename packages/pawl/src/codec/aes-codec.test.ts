import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { aesCodec } from './aes-codec.ts';
import { newPayloadKey } from './key-ring.ts';
import { nullCodec } from './null-codec.ts';
import type { Bytes, CodecErrorCode, PayloadPlace } from './payload-codec.ts';

const place: PayloadPlace = { tenant: 'acme', jobId: 'job-1', field: 'result' };
const [old, young] = [newPayloadKey('k1'), newPayloadKey('k2')];
const codec = aesCodec({ keys: [old] });

function refused(read: () => unknown, code: CodecErrorCode): void {
  assert.throws(read, { name: 'CodecError', code });
}

async function* chunked(bytes: Uint8Array, size: number): Bytes {
  for (let at = 0; at < bytes.byteLength; at += size) yield bytes.subarray(at, at + size);
}

async function joined(content: Bytes): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of content) chunks.push(chunk);
  return Buffer.concat(chunks);
}

describe('texts and JSON', () => {
  for (const text of ['', 'plain', '"quoted"\n\u0000', 'über 🚀', 'x'.repeat(100_000)]) {
    test(`what was encoded is decoded: ${JSON.stringify(text.slice(0, 12))}`, () => {
      const encoded = codec.encodeText(place, text);
      assert.match(encoded, /^pawl1\.k1\.[\w-]+$/);
      assert.equal(codec.decodeText(place, encoded), text);
      const json = JSON.stringify({ text });
      const sealed = codec.encodeJson(place, json);
      assert.equal(typeof JSON.parse(sealed), 'string');
      assert.equal(codec.decodeJson(place, sealed), json);
    });
  }

  test('[S16] the same text is never encoded alike, but for inputs and artifact names', () => {
    const twice = (field: PayloadPlace['field']): boolean => {
      const [one, two] = [1, 2].map(() => codec.encodeText({ ...place, field }, 'same'));
      return one === two;
    };
    const fields = ['result', 'message', 'log', 'checkpoint', 'stage:a', 'input', 'artifact.name'];
    assert.deepEqual(
      fields.filter((field) => twice(field as PayloadPlace['field'])),
      ['input', 'artifact.name'],
    );
    const input = { ...place, field: 'input' } as const;
    const [one, other] = ['job-1', 'job-2'].map((jobId) =>
      codec.encodeText({ ...input, jobId }, 'same').slice(20),
    );
    assert.notEqual(one, other);
  });

  test('[S16] a ciphertext moved to another job, tenant or field is refused as such', () => {
    const encoded = codec.encodeText(place, 'secret');
    for (const other of [
      { ...place, jobId: 'job-2' },
      { ...place, tenant: 'other' },
      { ...place, field: 'input' },
      { ...place, field: 'stage:result' },
      { tenant: 'acme"', jobId: ',"job-1', field: 'result' },
    ] as const) {
      refused(() => codec.decodeText(other, encoded), 'WRONG_PLACE');
    }
  });

  test('[S16] every changed character is noticed', () => {
    const encoded = codec.encodeText(place, 'some secret');
    const start = 'pawl1.k1.'.length;
    for (let at = start; at < encoded.length; at++) {
      const char = encoded[at] === 'A' ? 'B' : 'A';
      const changed = encoded.slice(0, at) + char + encoded.slice(at + 1);
      assert.throws(() => codec.decodeText(place, changed), { name: 'CodecError' }, `at ${at}`);
    }
    for (let length = start; length < encoded.length; length++) {
      const cut = encoded.slice(0, length);
      assert.throws(() => codec.decodeText(place, cut), { name: 'CodecError' }, `cut at ${length}`);
    }
  });

  test('a change behind the place is TAMPERED, a plain text NOT_ENCODED', () => {
    const encoded = codec.encodeText(place, 'some secret');
    const at = encoded.length - 30;
    const changed =
      encoded.slice(0, at) + (encoded[at] === 'A' ? 'B' : 'A') + encoded.slice(at + 1);
    refused(() => codec.decodeText(place, changed), 'TAMPERED');
    refused(() => codec.decodeText(place, `${encoded} and more`), 'TAMPERED');
    refused(() => codec.decodeText(place, 'plain'), 'NOT_ENCODED');
    refused(() => codec.decodeJson(place, '{"a":1}'), 'NOT_ENCODED');
  });

  test('errors tell the place and nothing of the content', () => {
    const encoded = codec.encodeText(place, 'some secret');
    const other = aesCodec({ keys: [young] });
    assert.throws(
      () => other.decodeText(place, encoded),
      (error: Error) => error.message.includes('job-1') && !error.message.includes(encoded),
    );
  });
});

describe('keys', () => {
  test('[S16] after a rotation the newest key encodes and all known ones decode', () => {
    const before = codec.encodeText(place, 'old');
    const rotated = aesCodec({ keys: [young, old] });
    assert.equal(rotated.decodeText(place, before), 'old');
    const after = rotated.encodeText(place, 'new');
    assert.match(after, /^pawl1\.k2\./);
    assert.equal(rotated.decodeText(place, after), 'new');
    refused(() => codec.decodeText(place, after), 'UNKNOWN_KEY');
  });

  test('[S16] a lost key is a typed error, and so is a wrong key of the same name', () => {
    const encoded = codec.encodeText(place, 'secret');
    refused(() => aesCodec({ keys: [young] }).decodeText(place, encoded), 'UNKNOWN_KEY');
    const impostor = aesCodec({ keys: [newPayloadKey('k1')] });
    refused(() => impostor.decodeText(place, encoded), 'WRONG_PLACE');
  });

  test('hashes survive a rotation, differ by tenant and by key', () => {
    const rotated = aesCodec({ keys: [young, old] });
    assert.equal(rotated.hash('acme', 'x'), codec.hash('acme', 'x'));
    assert.notEqual(codec.hash('acme', 'x'), codec.hash('other', 'x'));
    assert.notEqual(codec.hash('acme', 'x'), aesCodec({ keys: [young] }).hash('acme', 'x'));
    assert.notEqual(codec.hash('acme', 'x'), nullCodec.hash('acme', 'x'));
  });

  test('weak, unnamed, doubled and missing keys are refused', () => {
    const short = { id: 'k', secret: new Uint8Array(16) };
    assert.throws(() => aesCodec({ keys: [short] }), /16 bytes instead of 32/);
    assert.throws(() => aesCodec({ keys: [newPayloadKey('a.b')] }), /not a valid key name/);
    assert.throws(() => aesCodec({ keys: [old, newPayloadKey('k1')] }), /same name/);
    assert.throws(() => aesCodec({ keys: [] }), /needs a key/);
  });
});

describe('content', () => {
  const here: PayloadPlace = { ...place, field: 'artifact:report' };
  const segment = 64 * 1024;

  for (const size of [0, 1, segment - 1, segment, segment + 1, 3 * segment, 3 * segment + 7]) {
    test(`${size} bytes come back, however they are cut on the way`, async () => {
      const plain = Buffer.alloc(size, 'content ');
      const encoded = await joined(codec.encodeContent(here, chunked(plain, 10_007)));
      assert.equal(encoded.includes('content'), false);
      for (const cut of [5, 9_999, 1_000_000]) {
        if (cut === 5 && size > segment) continue;
        const decoded = await joined(codec.decodeContent(here, chunked(encoded, cut)));
        assert.ok(decoded.equals(plain));
      }
    });
  }

  test('[S16] content that is cut, changed, reordered or moved is refused', async () => {
    const plain = Buffer.alloc(3 * segment, 'content ');
    const encoded = await joined(codec.encodeContent(here, chunked(plain, segment)));
    const header = 'pawl1.k1.'.length + 8 + 7;
    const sealed = segment + 16;
    const part = (index: number): Buffer =>
      encoded.subarray(header + index * sealed, header + (index + 1) * sealed);
    const head = encoded.subarray(0, header);
    const flipped = Buffer.from(encoded);
    flipped[header + sealed + 5]! ^= 1;
    const broken: Record<string, Buffer> = {
      'the last segment is missing': Buffer.concat([head, part(0), part(1)]),
      'cut within a segment': encoded.subarray(0, -20),
      'only the header': head,
      'two segments change places': Buffer.concat([head, part(1), part(0), part(2)]),
      'a segment comes twice': Buffer.concat([head, part(0), part(0), part(1), part(2)]),
      'one bit': flipped,
      'more behind the end': Buffer.concat([encoded, Buffer.alloc(40)]),
    };
    for (const [title, bytes] of Object.entries(broken)) {
      const read = joined(codec.decodeContent(here, chunked(bytes, 9_999)));
      await assert.rejects(read, { code: 'TAMPERED' }, title);
    }
    const elsewhere = { ...here, field: 'artifact:other' } as const;
    const read = (other: PayloadPlace): Promise<Buffer> =>
      joined(codec.decodeContent(other, chunked(encoded, 9_999)));
    await assert.rejects(read(elsewhere), { code: 'WRONG_PLACE' });
    await assert.rejects(read({ ...here, tenant: 'other' }), { code: 'WRONG_PLACE' });
    const lost = aesCodec({ keys: [young] }).decodeContent(here, chunked(encoded, 9_999));
    await assert.rejects(joined(lost), { code: 'UNKNOWN_KEY' });
    const plainly = joined(codec.decodeContent(here, chunked(plain, 9_999)));
    await assert.rejects(plainly, { code: 'NOT_ENCODED' });
  });
});

test('the null codec leaves everything as it is', async () => {
  assert.equal(nullCodec.decodeText(place, nullCodec.encodeText(place, 'a')), 'a');
  assert.equal(nullCodec.decodeJson(place, nullCodec.encodeJson(place, '{"a":1}')), '{"a":1}');
  const content = nullCodec.encodeContent(place, chunked(Buffer.from('abc'), 2));
  assert.equal((await joined(nullCodec.decodeContent(place, content))).toString(), 'abc');
});
