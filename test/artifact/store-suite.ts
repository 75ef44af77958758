// One suite for every place where bytes are kept.
import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { ArtifactStore, Content } from 'pawl/internal/artifact/artifact-store';

export interface StoreFixture {
  readonly store: ArtifactStore;
  /** Everything that takes up space, finished or not. */
  readonly leftovers: () => Promise<number>;
  readonly close: () => Promise<void>;
}

export async function* contentOf(...chunks: readonly (string | Uint8Array)[]): Content {
  for (const chunk of chunks) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
}

export async function textOf(content: Content): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of content) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

async function* cutAfter(bytes: number): Content {
  for (let sent = 0; sent < bytes; sent += 1_000) {
    yield Buffer.alloc(Math.min(1_000, bytes - sent), 'x');
  }
  throw new Error('the connection was reset');
}

function sha256(text: string | Uint8Array): string {
  return createHash('sha256').update(text).digest('hex');
}

const bytesMax = 100_000_000;

interface Suite {
  readonly fixture: () => ArtifactStore;
  readonly leftovers: () => Promise<number>;
  /** Where the store changes its way of writing. */
  readonly partBytes: number;
}

function keepCases({ fixture, partBytes }: Suite): void {
  for (const size of [0, 1, partBytes - 1, partBytes, partBytes + 1, 2 * partBytes + 5]) {
    void test(`${size} bytes are kept as they came, with their size and hash`, async () => {
      const location = randomUUID();
      const whole = Buffer.alloc(size, 'abcdefg');
      const parts = [whole.subarray(0, size / 3), whole.subarray(size / 3)];
      const stored = await fixture().put(location, contentOf(...parts), { bytesMax });
      assert.deepEqual(stored, { size, sha256: sha256(whole) });
      assert.equal(await textOf(await fixture().get(location)), whole.toString());
    });
  }

  void test('a range has both its ends', async () => {
    const location = randomUUID();
    await fixture().put(location, contentOf('0123456789'), { bytesMax });
    assert.equal(await textOf(await fixture().get(location, { first: 2, last: 5 })), '2345');
    assert.equal(await textOf(await fixture().get(location, { first: 9, last: 9 })), '9');
  });

  void test('what is removed is gone, and removing it again does no harm', async () => {
    const location = randomUUID();
    await fixture().put(location, contentOf('x'), { bytesMax });
    await fixture().remove([location, randomUUID()]);
    await fixture().remove([location]);
    await assert.rejects(fixture().get(location), { code: 'NOT_FOUND' });
  });

  void test('everything stored is listed, page by page', async () => {
    const locations = Array.from({ length: 7 }, () => randomUUID());
    for (const location of locations) await fixture().put(location, contentOf('x'), { bytesMax });
    const seen: string[] = [];
    let next: string | null = null;
    do {
      const page = await fixture().list(next, 3);
      assert.ok(page.found.length <= 3);
      seen.push(...page.found.map(({ location }) => location));
      next = page.next;
    } while (next !== null);
    assert.equal(new Set(seen).size, seen.length);
    const missing = locations.filter((location) => !seen.includes(location));
    assert.deepEqual(missing, []);
  });
}

function refusalCases({ fixture, leftovers, partBytes }: Suite): void {
  void test('[F75] an upload that is cut at any point leaves nothing', async () => {
    const before = await leftovers();
    for (const bytes of [0, 1, partBytes - 1, partBytes, partBytes + 1, 2 * partBytes + 1]) {
      const location = randomUUID();
      const upload = fixture().put(location, cutAfter(bytes), { bytesMax });
      await assert.rejects(upload, /connection was reset/, `cut after ${bytes}`);
      await assert.rejects(fixture().get(location), { code: 'NOT_FOUND' });
    }
    assert.equal(await leftovers(), before);
  });

  for (const [what, bounds, code] of [
    ['too large', { bytesMax: 9 }, 'PAYLOAD_TOO_LARGE'],
    ['longer than announced', { size: 9 }, 'VALIDATION_ERROR'],
    ['shorter than announced', { size: 11 }, 'VALIDATION_ERROR'],
    ['of another hash', { sha256: sha256('other') }, 'VALIDATION_ERROR'],
  ] as const) {
    void test(`[F75] an upload that is ${what} is refused and leaves nothing`, async () => {
      const before = await leftovers();
      const checked = { bytesMax, ...bounds };
      const upload = fixture().put(randomUUID(), contentOf('0123456789'), checked);
      await assert.rejects(upload, { code });
      assert.equal(await leftovers(), before);
    });
  }

  void test('[S7] only a UUID is a place', async () => {
    for (const location of ['../../etc/passwd', '', 'a/b', `${randomUUID()}/..`]) {
      await assert.rejects(async () => fixture().get(location), TypeError);
      const upload = async (): Promise<unknown> =>
        fixture().put(location, contentOf('x'), { bytesMax });
      await assert.rejects(upload, TypeError);
    }
  });
}

/** Registers the suite for one store. */
export function artifactStoreSuite(
  label: string,
  open: () => Promise<StoreFixture>,
  partBytes: number,
): void {
  void describe(label, () => {
    let opened: StoreFixture;
    before(async () => {
      opened = await open();
    });
    after(() => opened.close());
    const suite = { fixture: () => opened.store, leftovers: () => opened.leftovers(), partBytes };
    keepCases(suite);
    refusalCases(suite);
  });
}
