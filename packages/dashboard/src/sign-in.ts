// OpenID Connect in the browser: authorization code with PKCE. The token stays in this tab.
import { signal } from '@preact/signals';
import type { SignInSettings } from '../../pawl/src/contract/page.ts';
import { useKey } from './api.ts';
import { askSettings } from './page-settings.ts';

/** What a sign-in must be answered with, until it is. */
interface Pending {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** Where the user was. */
  readonly place: string;
}

interface Discovery {
  readonly issuer: string;
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
}

interface Tokens {
  readonly access_token?: unknown;
  readonly id_token?: unknown;
  readonly error?: string;
  readonly error_description?: string;
}

interface Claims {
  readonly iss?: unknown;
  readonly aud?: unknown;
  readonly nonce?: unknown;
  readonly exp?: unknown;
}

const PENDING = 'pawl-sign-in';
const SKEW_MS = 60_000;

/** True while an answer of the identity provider is being looked at. */
export const isSigningIn = signal(false);

/** Why the last sign-in did not succeed. */
export const signInFault = signal<string | null>(null);

function base64Url(bytes: Uint8Array): string {
  const text = btoa(String.fromCharCode(...bytes));
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function random(): string {
  return base64Url(crypto.getRandomValues(new Uint8Array(32)));
}

async function challengeOf(verifier: string): Promise<string> {
  // Browsers hash on secure origins only.
  if (!isSecureContext) throw new Error('Signing in there needs this page to be served by https.');
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
  return base64Url(new Uint8Array(hash));
}

/** As it was registered with the provider: this page, without what is open on it. */
function here(): string {
  return location.origin + location.pathname;
}

function isWeb(url: unknown): url is string {
  return typeof url === 'string' && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

async function discover({ issuer }: SignInSettings): Promise<Discovery> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const response = await fetch(url, { credentials: 'omit' }).catch(() => null);
  const found = (await response?.json().catch(() => null)) as Partial<Discovery> | null | undefined;
  const { authorization_endpoint: authorize, token_endpoint: token } = found ?? {};
  if (found?.issuer !== issuer || !isWeb(authorize) || !isWeb(token)) {
    throw new Error(
      `${new URL(issuer).host} did not answer with its sign-in settings. Try again later.`,
    );
  }
  return { issuer, authorization_endpoint: authorize, token_endpoint: token };
}

/** Leads away, to the provider, which leads back to this page. */
export async function beginSignIn(settings: SignInSettings): Promise<void> {
  signInFault.value = null;
  try {
    const { authorization_endpoint: authorize } = await discover(settings);
    const pending: Pending = {
      state: random(),
      nonce: random(),
      verifier: random(),
      place: location.hash,
    };
    const url = new URL(authorize);
    const asked = {
      response_type: 'code',
      client_id: settings.clientId,
      redirect_uri: here(),
      scope: settings.scope,
      state: pending.state,
      nonce: pending.nonce,
      code_challenge: await challengeOf(pending.verifier),
      code_challenge_method: 'S256',
    };
    for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, value);
    sessionStorage.setItem(PENDING, JSON.stringify(pending));
    location.assign(url);
  } catch (error) {
    signInFault.value = (error as Error).message;
  }
}

/** What was begun in this tab; it is good for one answer. */
function takePending(): Pending | null {
  const text = sessionStorage.getItem(PENDING);
  sessionStorage.removeItem(PENDING);
  return text === null ? null : (JSON.parse(text) as Pending);
}

/** The claims of a token that came straight from its issuer, whose word that is. */
function claimsOf(token: string): Claims {
  const [, body = ''] = token.split('.');
  const bytes = Uint8Array.from(atob(body.replaceAll('-', '+').replaceAll('_', '/')), (char) =>
    char.codePointAt(0)!,
  );
  return JSON.parse(new TextDecoder().decode(bytes)) as Claims;
}

function checkIdToken(token: unknown, settings: SignInSettings, nonce: string): string {
  if (typeof token !== 'string') throw new Error('no id token was returned');
  const { iss, aud, exp, nonce: answered } = claimsOf(token);
  if (iss !== settings.issuer) throw new Error('it is from another issuer');
  if (![aud].flat().includes(settings.clientId)) throw new Error('it is for somebody else');
  if (answered !== nonce) throw new Error('it belongs to another sign-in');
  if (typeof exp !== 'number' || exp * 1_000 + SKEW_MS < Date.now())
    throw new Error('it has expired');
  return token;
}

function isJwt(token: unknown): token is string {
  return typeof token === 'string' && /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token);
}

async function exchange(
  settings: SignInSettings,
  { verifier, nonce }: Pending,
  code: string,
): Promise<string> {
  const { token_endpoint: url } = await discover(settings);
  const response = await fetch(url, {
    method: 'POST',
    credentials: 'omit',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: settings.clientId,
      redirect_uri: here(),
      code_verifier: verifier,
      code,
    }),
  }).catch(() => null);
  const tokens = (await response?.json().catch(() => null)) as Tokens | null | undefined;
  if (response?.ok !== true || !tokens) {
    throw new Error(tokens?.error_description ?? tokens?.error ?? 'no token was returned');
  }
  const idToken = checkIdToken(tokens.id_token, settings, nonce);
  // An access token that is no JWT means something to its issuer only.
  return isJwt(tokens.access_token) ? tokens.access_token : idToken;
}

async function tokenFor(answer: URLSearchParams, pending: Pending | null): Promise<string> {
  if (pending === null || answer.get('state') !== pending.state) {
    throw new Error('it was not started in this tab, or is already complete');
  }
  const error = answer.get('error');
  if (error !== null) throw new Error(answer.get('error_description') ?? error);
  const { signIn } = await askSettings();
  if (signIn === null) throw new Error('this server no longer accepts tokens');
  if ((answer.get('iss') ?? signIn.issuer) !== signIn.issuer) {
    throw new Error('the answer is from another issuer');
  }
  return exchange(signIn, pending, answer.get('code') ?? '');
}

/** Takes the provider's answer out of the address, if there is one, and signs in with it. */
export async function finishSignIn(): Promise<void> {
  const answer = new URLSearchParams(location.search);
  if (!answer.has('state') || !(answer.has('code') || answer.has('error'))) return;
  const pending = takePending();
  history.replaceState(null, '', here() + (pending?.place ?? ''));
  // Who watches the address is not told of a replaced one.
  dispatchEvent(new HashChangeEvent('hashchange'));
  isSigningIn.value = true;
  try {
    useKey(await tokenFor(answer, pending));
  } catch (error) {
    signInFault.value = `Sign-in failed: ${(error as Error).message}. Try again.`;
  }
  isSigningIn.value = false;
}
