// A small OpenID provider: discovery, an authorization page, tokens for a code, and its keys.
import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose';

interface Granted {
  readonly challenge: string;
  readonly nonce: string;
  readonly redirect: string;
}

/** What the provider does wrong, until told otherwise. */
export interface Faults {
  nonce?: string;
  denies?: boolean;
  /** Gives an access token that only the provider could read. */
  isOpaque?: boolean;
}

const CLAIMS = { tenant: 'default', roles: ['operator'] };

async function bodyOf(request: IncomingMessage): Promise<URLSearchParams> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return new URLSearchParams(Buffer.concat(chunks).toString());
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  const headers = { 'content-type': 'application/json', 'access-control-allow-origin': '*' };
  response.writeHead(status, headers).end(JSON.stringify(value));
}

/** Everybody who comes is `ada`, an operator of the default tenant, once she has clicked. */
export class IdentityProvider {
  readonly clientId = 'pawl-dashboard';
  readonly faults: Faults = {};
  /** Bodies that the token endpoint was sent. */
  readonly exchanges: URLSearchParams[] = [];
  readonly #audience: string;
  readonly #keys: { readonly privateKey: CryptoKey; readonly jwk: object };
  readonly #granted: Map<string, Granted> = new Map();
  readonly #server = createServer((request, response) => void this.#answer(request, response));

  private constructor(audience: string, keys: { privateKey: CryptoKey; jwk: object }) {
    this.#audience = audience;
    this.#keys = keys;
  }

  static async open(audience: string): Promise<IdentityProvider> {
    const { privateKey, publicKey } = await generateKeyPair('ES256');
    const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256', use: 'sig' };
    const provider = new IdentityProvider(audience, { privateKey, jwk });
    await new Promise<void>((resolve) => provider.#server.listen(0, '127.0.0.1', resolve));
    return provider;
  }

  get issuer(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { issuer } = this;
    const url = new URL(request.url ?? '/', issuer);
    if (url.pathname === '/authorize') return this.#authorize(url, response);
    if (url.pathname === '/token') return this.#giveTokens(await bodyOf(request), response);
    if (url.pathname === '/jwks') return sendJson(response, 200, { keys: [this.#keys.jwk] });
    return sendJson(response, 200, {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
    });
  }

  #authorize(url: URL, response: ServerResponse): void {
    const asked = Object.fromEntries(url.searchParams);
    const { code_challenge: challenge = '', nonce = '', redirect_uri: redirect = '' } = asked;
    const answer = new URL(redirect);
    answer.searchParams.set('state', asked['state']!);
    if (this.faults.denies === true) {
      answer.searchParams.set('error', 'access_denied');
      answer.searchParams.set('error_description', 'Ada changed her mind');
    } else {
      const code = randomUUID();
      answer.searchParams.set('code', code);
      answer.searchParams.set('iss', this.issuer);
      this.#granted.set(code, { challenge, nonce, redirect });
    }
    const href = answer.href.replaceAll('&', '&amp;');
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(`<!doctype html><title>Who are you?</title><a href="${href}">I am Ada</a>`);
  }

  async #giveTokens(body: URLSearchParams, response: ServerResponse): Promise<void> {
    this.exchanges.push(body);
    const code = body.get('code') ?? '';
    const grant = this.#granted.get(code);
    this.#granted.delete(code);
    const hash = createHash('sha256').update(body.get('code_verifier') ?? '');
    const isGood =
      grant?.challenge === hash.digest('base64url') &&
      body.get('client_id') === this.clientId &&
      body.get('redirect_uri') === grant.redirect;
    if (!isGood) return sendJson(response, 400, { error: 'invalid_grant' });
    const { nonce = grant.nonce, isOpaque = false } = this.faults;
    return sendJson(response, 200, {
      token_type: 'Bearer',
      access_token: isOpaque ? 'opaque' : await this.#sign(CLAIMS, this.#audience),
      id_token: await this.#sign({ ...CLAIMS, nonce }, this.clientId),
    });
  }

  #sign(claims: Record<string, unknown>, audience: string): Promise<string> {
    return new SignJWT(claims)
      .setProtectedHeader({ alg: 'ES256', kid: 'one' })
      .setIssuer(this.issuer)
      .setAudience(audience)
      .setSubject('ada')
      .setIssuedAt()
      .setExpirationTime('10m')
      .sign(this.#keys.privateKey);
  }
}
