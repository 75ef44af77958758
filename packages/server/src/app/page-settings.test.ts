import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfiguration } from './configuration.ts';

const PROVIDER = {
  PAWL_OIDC_ISSUER: 'https://id.example',
  PAWL_OIDC_AUDIENCE: 'pawl',
  PAWL_OIDC_JWKS_URL: 'https://id.example/jwks',
};
const CLIENT = { ...PROVIDER, PAWL_OIDC_CLIENT_ID: 'dashboard' };

test('people sign in at a provider once it knows the dashboard as a client', () => {
  assert.equal(readConfiguration(PROVIDER).page.signIn, null);
  assert.deepEqual(readConfiguration(CLIENT).page.signIn, {
    issuer: 'https://id.example',
    clientId: 'dashboard',
    scope: 'openid profile',
  });
  const scoped = { ...CLIENT, PAWL_OIDC_SCOPE: 'openid roles' };
  assert.equal(readConfiguration(scoped).page.signIn?.scope, 'openid roles');
});

test('where nobody is asked for a credential, nobody is offered to sign in', () => {
  assert.equal(readConfiguration({ ...CLIENT, PAWL_AUTH: 'off' }).page.signIn, null);
});

test('what cannot work is refused at the start, with what to give instead', () => {
  for (const [more, message] of [
    [{ PAWL_OIDC_CLIENT_ID: 'dashboard' }, /give PAWL_OIDC_ISSUER too/],
    [{ ...CLIENT, PAWL_OIDC_ISSUER: 'http://id.example' }, /PAWL_OIDC_ISSUER .* https/],
    [{ ...CLIENT, PAWL_OIDC_ISSUER: 'id.example' }, /PAWL_OIDC_ISSUER .* https/],
    [{ ...CLIENT, PAWL_OIDC_SCOPE: 'profile' }, /openid must be among/],
    [{ PAWL_TRACE_URL: 'https://traces.example/' }, /\{traceId\}/],
    [{ PAWL_TRACE_URL: 'javascript:alert({traceId})' }, /PAWL_TRACE_URL/],
  ] as const) {
    assert.throws(() => readConfiguration(more), message, JSON.stringify(more));
  }
  const PAWL_TRACE_URL = 'https://traces.example/{traceId}';
  assert.equal(readConfiguration({ PAWL_TRACE_URL }).page.traceUrl, PAWL_TRACE_URL);
});
