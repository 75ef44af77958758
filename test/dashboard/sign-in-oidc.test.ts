import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { IdentityProvider } from '../support/browser/identity-provider.ts';
import { openFixture, type Fixture } from '../support/browser/fixture.ts';

describe('signing in at an identity provider', () => {
  let fixture: Fixture;
  let provider: IdentityProvider;
  before(async () => {
    provider = await IdentityProvider.open('pawl');
    fixture = await openFixture({
      PAWL_OIDC_ISSUER: provider.issuer,
      PAWL_OIDC_AUDIENCE: 'pawl',
      PAWL_OIDC_JWKS_URL: `${provider.issuer}/jwks`,
      PAWL_OIDC_CLIENT_ID: provider.clientId,
    });
  });
  after(async () => {
    await provider.close();
    await fixture.close();
  });
  afterEach(() => {
    for (const name of Object.keys(provider.faults)) Reflect.deleteProperty(provider.faults, name);
    assert.deepEqual(fixture.complaints, []);
  });

  const begin = async (page: Page): Promise<void> => {
    await page.getByRole('button', { name: 'Sign in at 127.0.0.1' }).click();
    await page.getByRole('link', { name: 'I am Ada' }).waitFor();
  };

  test('the way leads to the provider and back to where one was, with a token of this tab', async () => {
    const page = await fixture.look('queues');
    await begin(page);
    const asked = new URL(page.url()).searchParams;
    assert.equal(asked.get('code_challenge_method'), 'S256');
    assert.equal(asked.get('redirect_uri'), `${fixture.url}/`);
    await page.getByRole('link', { name: 'I am Ada' }).click();
    await page.getByRole('heading', { name: 'Queues and types' }).waitFor();
    await page.getByText('live', { exact: true }).waitFor();
    assert.equal(page.url(), `${fixture.url}/#/queues`);
    // The token and nothing else, for as long as the tab is open.
    assert.equal(await page.evaluate('sessionStorage.length + localStorage.length'), 1);
    assert.equal(await page.evaluate('document.cookie'), '');
    await page.reload();
    await page.getByRole('heading', { name: 'Queues and types' }).waitFor();
    await page.getByRole('button', { name: 'sign out' }).click();
    await page.getByLabel('API key').waitFor();
    assert.equal(await page.evaluate('sessionStorage.length'), 0);
    await page.context().close();
  });

  test('what the token allows is what the page may do: an operator sees no keys', async () => {
    const page = await fixture.look();
    await begin(page);
    await page.getByRole('link', { name: 'I am Ada' }).click();
    await page.getByText('live', { exact: true }).waitFor();
    const status = await page.evaluate(async () => {
      const token = sessionStorage.getItem('pawl-key');
      const headers = { authorization: `Bearer ${token}` };
      const [jobs, keys] = await Promise.all(
        ['./v1/jobs', './v1/keys'].map((path) => fetch(path, { headers })),
      );
      return [jobs!.status, keys!.status];
    });
    assert.deepEqual(status, [200, 403]);
    await page.context().close();
  });

  test('an answer that was not asked for in this tab is refused, and its code is not used', async () => {
    const page = await fixture.look();
    await page.getByLabel('API key').waitFor();
    const before = provider.exchanges.length;
    await page.goto(`${fixture.url}/?code=stolen&state=forged`);
    await page.getByText('it was not started in this tab').waitFor();
    await begin(page);
    const forged = new URL(`${fixture.url}/?code=stolen&state=forged`);
    await page.goto(forged.href);
    await page.getByText('it was not started in this tab').waitFor();
    assert.equal(provider.exchanges.length, before);
    assert.equal(new URL(page.url()).search, '');
    await page.context().close();
  });

  test('a code is good once: going back to its address signs nobody in', async () => {
    const page = await fixture.look();
    await begin(page);
    const answer = await page.getByRole('link', { name: 'I am Ada' }).getAttribute('href');
    await page.getByRole('link', { name: 'I am Ada' }).click();
    await page.getByText('live', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'sign out' }).click();
    await page.goto(answer!);
    await page.getByText('it was not started in this tab, or is already complete').waitFor();
    await page.context().close();
  });

  test('a token of another sign-in is refused by its nonce', async () => {
    provider.faults.nonce = 'of-somebody-else';
    const page = await fixture.look();
    await begin(page);
    await page.getByRole('link', { name: 'I am Ada' }).click();
    await page.getByText('it belongs to another sign-in').waitFor();
    assert.equal(await page.evaluate('sessionStorage.length'), 0);
    await page.context().close();
  });

  test('who says no at the provider is told so, and can still use a key', async () => {
    provider.faults.denies = true;
    const page = await fixture.look();
    await begin(page);
    await page.getByRole('link', { name: 'I am Ada' }).click();
    await page.getByText('Ada changed her mind').waitFor();
    await page.getByLabel('API key').fill(fixture.key());
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.context().close();
  });

  test('an access token that means nothing here gives way to the id token, which is for another audience', async () => {
    provider.faults.isOpaque = true;
    const page = await fixture.look();
    await begin(page);
    await page.getByRole('link', { name: 'I am Ada' }).click();
    await page.getByText('This sign-in is not valid').waitFor();
    await page.context().close();
  });

  test('the page may connect to its server and the issuer only', async () => {
    const page = await fixture.look();
    const answer = await page.reload();
    const policy = (await answer?.headerValue('content-security-policy')) ?? '';
    assert.match(policy, new RegExp(`connect-src 'self' ${provider.issuer};`));
    assert.doesNotMatch(policy, /script-src|unsafe-eval/);
    const { signIn } = (await (await fetch(`${fixture.url}/v1/page`)).json()) as {
      signIn: unknown;
    };
    const { issuer, clientId } = provider;
    assert.deepEqual(signIn, { issuer, clientId, scope: 'openid profile' });
    await page.context().close();
  });
});
