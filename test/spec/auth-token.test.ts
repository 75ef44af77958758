// Tokens of an identity provider: one issuer, one audience, its own keys, and nothing a token says
// about where to find others.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { exportJWK, exportSPKI, generateKeyPair, type JWTHeaderParameters, SignJWT } from 'jose';
import { ManualClock } from 'pawl/internal/core/clock';
import { tokenReader } from '@pawl/server/internal/auth/token';
import { openLocked } from './auth-fixture.ts';

const issuer = 'https://id.example';
const audience = 'pawl';
const clock = new ManualClock();
const pair = await generateKeyPair('ES256', { extractable: true });
const stranger = await generateKeyPair('ES256', { extractable: true });
const jwk = { ...(await exportJWK(pair.publicKey)), kid: 'one', alg: 'ES256', use: 'sig' };
const tokens = tokenReader({ issuer, audience, keys: { keys: [jwk] }, clock });

interface Draft {
  readonly claims?: Record<string, unknown>;
  readonly header?: Partial<JWTHeaderParameters> & Record<string, unknown>;
  readonly key?: CryptoKey;
}

const seconds = (): number => Math.floor(clock.now() / 1_000);

function claimsOf(claims: Record<string, unknown> = {}): Record<string, unknown> {
  const now = seconds();
  const base = { iss: issuer, aud: audience, sub: 'ann', iat: now, exp: now + 300 };
  const whole = { ...base, tenant: 'acme', roles: ['viewer'], ...claims };
  return Object.fromEntries(Object.entries(whole).filter(([, value]) => value !== undefined));
}

function sign({ claims, header, key = pair.privateKey }: Draft = {}): Promise<string> {
  return new SignJWT(claimsOf(claims))
    .setProtectedHeader({ alg: 'ES256', kid: 'one', ...header })
    .sign(key);
}

function part(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

async function forgeWithPublicKey(): Promise<string> {
  const body = `${part({ alg: 'HS256', kid: 'one' })}.${part(claimsOf())}`;
  const secret = await exportSPKI(pair.publicKey);
  return `${body}.${createHmac('sha256', secret).update(body).digest('base64url')}`;
}

test('a good token is its subject, in its tenant, with its roles', async () => {
  const credential = await tokens.read(await sign());
  assert.deepEqual([credential?.principal, credential?.tenant], ['ann', 'acme']);
  assert.ok(credential!.scopes.has('jobs:read') && !credential!.scopes.has('jobs:write'));
  const listed = await tokens.read(await sign({ claims: { roles: 'producer admin nonsense' } }));
  assert.ok(listed!.scopes.has('keys:admin'));
});

test('groups are those of the claim, and the role user alone reaches no further than its own', async () => {
  const claims = { roles: ['user'], groups: ['planners', 7, '', 'x'.repeat(129), 'drivers'] };
  const user = await tokens.read(await sign({ claims }));
  assert.deepEqual([user?.reach, user?.groups], ['own', ['planners', 'drivers']]);
  const both = await tokens.read(await sign({ claims: { roles: ['user', 'viewer'] } }));
  assert.deepEqual([both?.reach, both?.groups], ['tenant', []]);
  const none = await tokens.read(await sign({ claims: { roles: ['nonsense'] } }));
  assert.equal(none?.reach, 'own');
});

const now = seconds();

for (const [what, token] of [
  ['of no algorithm', `${part({ alg: 'none' })}.${part(claimsOf())}.`],
  ['signed with the public key as a secret', await forgeWithPublicKey()],
  ['of another key', await sign({ key: stranger.privateKey })],
  ['of an unknown key id', await sign({ header: { kid: 'two' } })],
  ['whose key id is a path', await sign({ header: { kid: '../../one' } })],
  [
    'that brings its own key',
    await sign({
      key: stranger.privateKey,
      header: { jwk: await exportJWK(stranger.publicKey), kid: 'three' },
    }),
  ],
  [
    'that says where its keys are',
    await sign({
      key: stranger.privateKey,
      header: { jku: 'https://evil.example/jwks', x5u: 'https://evil.example/x5u', kid: 'four' },
    }),
  ],
  ['of another issuer', await sign({ claims: { iss: 'https://other.example' } })],
  ['for another audience', await sign({ claims: { aud: 'other' } })],
  ['that has expired', await sign({ claims: { exp: now - 60 } })],
  ['that is not good yet', await sign({ claims: { nbf: now + 120 } })],
  ['that never expires', await sign({ claims: { exp: undefined } })],
  ['of nobody', await sign({ claims: { sub: undefined } })],
  ['of no tenant', await sign({ claims: { tenant: undefined } })],
  ['of all tenants', await sign({ claims: { tenant: '*' } })],
  ['of a tenant that is a list', await sign({ claims: { tenant: ['acme'] } })],
  ['cut short', (await sign()).slice(0, -2)],
] as const) {
  test(`[S2] a token ${what} does not convince`, async () => {
    assert.equal(await tokens.read(token), null);
  });
}

test('[S2] over HTTP a token is as good as a key, and one without roles may do nothing', async () => {
  const { api } = await openLocked({ tokens });
  const call = async (claims: Record<string, unknown>) =>
    api.with({ authorization: `Bearer ${await sign({ claims })}` });
  const producer = await call({ roles: ['producer'], tenant: 'default' });
  const { status, body } = await producer.post('/v1/jobs', { type: 'export' });
  assert.deepEqual([status, body.requestedBy], [202, 'ann']);
  const nobody = await call({ roles: [], tenant: 'default' });
  assert.equal((await nobody.get('/v1/jobs')).status, 403);
  const elsewhere = await call({ roles: ['admin'], tenant: 'acme' });
  assert.equal((await elsewhere.get(`/v1/jobs/${body.id}`)).status, 404);
  const huge = await call({ roles: ['admin'], tenant: 'default', pad: 'x'.repeat(1_000_000) });
  assert.equal((await huge.get('/v1/jobs')).status, 401);
});
