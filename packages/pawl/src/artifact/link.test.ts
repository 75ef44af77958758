import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { newLinkKey, openLinkKeys, parseLinkKeys } from './link-keys.ts';
import { expiryOf, LINK_TTL_MS_MAX, LINK_TTL_MS_MIN, signLink, verifyLink } from './link.ts';

const now = Date.UTC(2026, 0, 1);
const keys = [newLinkKey()];
const artifactId = randomUUID();
const claims = {
  method: 'GET',
  path: `/v1/artifacts/${artifactId}`,
  tenant: 'acme & söhne',
  artifactId,
  version: 'ab'.repeat(32),
  fileName: '../report "final".pdf',
  holder: null,
};
const link = signLink(claims, { keys, now });

function verify(url: string, more: { method?: string; at?: number } = {}): unknown {
  return verifyLink({ method: more.method ?? 'GET', url }, { keys, now: more.at ?? now });
}

function refused(url: string, more: { method?: string; at?: number } = {}): void {
  assert.throws(() => verify(url, more), { code: 'LINK_INVALID' }, url);
}

describe('a signed link', () => {
  test('gives back what was signed, to whoever has it', () => {
    assert.deepEqual(verify(link), { ...claims, expiresAt: now + LINK_TTL_MS_MIN });
  });

  test('names the attempt that it was made for, and nobody can change that', () => {
    const holder = { jobId: randomUUID(), owner: 'worker & söhne', epoch: 7 };
    const own = signLink({ ...claims, holder }, { keys, now });
    assert.deepEqual(verify(own), { ...claims, holder, expiresAt: now + LINK_TTL_MS_MIN });
    refused(own.replace(/&holder=[\w-]*/, ''));
    const other = signLink({ ...claims, holder: { ...holder, epoch: 8 } }, { keys, now });
    refused(own.replace(/holder=[\w-]*/, /holder=[\w-]*/.exec(other)![0]));
    assert.match(own, /^[\w/?=&-]+$/);
  });

  test('[S7] has one spelling: letters, digits and marks that no one encodes', () => {
    assert.match(link, /^[\w/?=&-]+$/);
    assert.equal(new URL(link, 'https://host.example').href, `https://host.example${link}`);
  });

  test('[S7, F76] with any one byte flipped is refused', () => {
    for (let at = 0; at < link.length; at++) {
      for (const bit of [1, 2, 4, 8, 16, 32]) {
        const char = String.fromCharCode(link.charCodeAt(at) ^ bit);
        refused(link.slice(0, at) + char + link.slice(at + 1));
      }
      refused(link.slice(0, at) + link.slice(at + 1));
    }
  });

  test('[S7, F76] with parameters reordered, doubled, added or left out is refused', () => {
    const [path, query] = link.split('?') as [string, string];
    const pairs = query.split('&');
    pairs.forEach((pair, index) => {
      const others = pairs.toSpliced(index, 1);
      refused(`${path}?${others.join('&')}`);
      refused(`${path}?${[...pairs, pair].join('&')}`);
      refused(`${path}?${[pair, ...pairs].join('&')}`);
      if (index < pairs.length - 1) refused(`${path}?${[...others, pair].join('&')}`);
    });
    refused(`${path}?${[...pairs].reverse().join('&')}`);
    refused(`${link}&x=1`);
    refused(`${path}?x=1&${query}`);
    refused(`${link}#x`);
  });

  test('[S7] with its path spelt differently is refused', () => {
    refused(link.replace('/v1/', '/v1//'));
    refused(link.replace('/v1/', '/%761/'));
    refused(link.replace('/v1/', '/v1/./'));
    refused(link.replace('/artifacts/', '/Artifacts/'));
    refused(link.replace(artifactId, artifactId.toUpperCase()));
    refused(link.replace(artifactId, randomUUID()));
    refused(`/other${link}`);
  });

  test('[S7, F76] is good for its method, tenant, version and name only', () => {
    for (const method of ['HEAD', 'PUT', 'DELETE', 'POST', 'get']) refused(link, { method });
    for (const other of [
      { tenant: 'other' },
      { version: 'cd'.repeat(32) },
      { fileName: 'evil.html' },
    ]) {
      const forged = signLink({ ...claims, ...other }, { keys, now });
      const query = (url: string): string[] => url.split('?')[1]!.split('&');
      const mixed = [...query(forged).slice(0, -1), query(link).at(-1)!];
      refused(`${claims.path}?${mixed.join('&')}`);
    }
  });

  test('[T24, S7] is good for the minimum time to the millisecond, then expired', () => {
    const end = now + LINK_TTL_MS_MIN;
    assert.equal(expiryOf(link), end);
    assert.ok(verify(link, { at: end - 1 }));
    assert.throws(() => verify(link, { at: end }), { code: 'LINK_EXPIRED' });
    assert.ok(verify(link, { at: now - 60_000 }), 'another clock may be behind');
  });

  test('[T24] lasts never less than the minimum and never more than the maximum', () => {
    const ttlOf = (ttlMs: number): number => expiryOf(signLink(claims, { keys, now, ttlMs })) - now;
    assert.equal(ttlOf(0), LINK_TTL_MS_MIN);
    assert.equal(ttlOf(-5), LINK_TTL_MS_MIN);
    assert.equal(ttlOf(LINK_TTL_MS_MIN + 1), LINK_TTL_MS_MIN + 1);
    assert.equal(ttlOf(1e15), LINK_TTL_MS_MAX);
  });
});

describe('link keys', () => {
  test('[T24, S7] rotate with an overlap: what was signed stays good, no more is signed', () => {
    const young = newLinkKey();
    const rotated = [young, { ...keys[0]!, retiredAt: now + 10 }];
    const at = now + 20;
    assert.ok(verifyLink({ method: 'GET', url: link }, { keys: rotated, now: at }));
    const fresh = signLink(claims, { keys: rotated.toReversed(), now: at });
    assert.match(fresh, new RegExp(`key=${young.id}&`));
    assert.throws(() => verifyLink({ method: 'GET', url: fresh }, { keys, now: at }), {
      code: 'LINK_INVALID',
    });
  });

  test('[S7] a retired key cannot be used to make links that live on', () => {
    const retired = [newLinkKey(), { ...keys[0]!, retiredAt: now }];
    const late = now + 1_000;
    const forged = signLink(claims, { keys, now: late, ttlMs: LINK_TTL_MS_MAX });
    assert.throws(() => verifyLink({ method: 'GET', url: forged }, { keys: retired, now: late }), {
      code: 'LINK_INVALID',
    });
  });

  test('are made once, kept in a file that others cannot read, and read again', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pawl-keys-'));
    try {
      const path = join(folder, 'deep', 'link-keys.json');
      const opened = await Promise.all([1, 2, 3].map(() => openLinkKeys(path)));
      const ids = new Set(opened.map(([key]) => key!.id));
      assert.equal(ids.size, 1);
      assert.deepEqual(await openLinkKeys(path), opened[0]);
      assert.equal(statSync(path).mode & 0o077, 0);
      assert.deepEqual(parseLinkKeys(readFileSync(path, 'utf8')), opened[0]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('that are short, doubled or missing are refused', () => {
    const key = { id: 'a', secret: Buffer.alloc(32).toString('base64url') };
    assert.equal(parseLinkKeys(JSON.stringify([key])).length, 1);
    for (const bad of [[], [key, key], [{ ...key, secret: 'short' }], [{ ...key, id: 'a b' }]]) {
      assert.throws(() => parseLinkKeys(JSON.stringify(bad)), /link keys/);
    }
  });
});
