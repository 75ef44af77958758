// A whole platform that asks for credentials, over the wire, with keys of any tenant and role.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { readConfiguration } from '@pawl/server/internal/app/configuration';
import { type Platform, startPlatform } from '@pawl/server/internal/app/platform';
import { OPEN_CREDENTIAL } from 'pawl/internal/contract/credential';
import { createKey, type KeyWish } from '@pawl/server/internal/auth/manage-keys';
import { silentLog } from 'pawl/internal/engine/context';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- answers are looked into freely
  readonly json: any;
}

export interface Sent {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The platform as the holder of one credential calls it. */
export class Caller {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(url: string, headers: Readonly<Record<string, string>>) {
    this.url = url;
    this.headers = headers;
  }

  async call(method: string, path: string, { body, headers = {} }: Sent = {}): Promise<Answer> {
    const bytes = Buffer.isBuffer(body) ? body : JSON.stringify(body);
    const json = body === undefined ? {} : { 'content-type': 'application/json' };
    const response = await fetch(this.url + path, {
      method,
      headers: { ...json, ...this.headers, ...headers },
      redirect: 'manual',
      ...(body === undefined ? {} : { body: bytes as string }),
    });
    const text = await response.text();
    const isJson = /[/+]json/.test(response.headers.get('content-type') ?? '') && text !== '';
    const { status } = response;
    const parsed: unknown = isJson ? JSON.parse(text) : null;
    return { status, headers: response.headers, text, json: parsed };
  }

  get(path: string): Promise<Answer> {
    return this.call('GET', path);
  }

  post(path: string, body: unknown = {}): Promise<Answer> {
    return this.call('POST', path, { body });
  }

  put(path: string, body: unknown): Promise<Answer> {
    return this.call('PUT', path, { body });
  }
}

export interface SecurityFixture {
  readonly platform: Platform;
  readonly folder: string;
  readonly nobody: Caller;
  holder(wish: Partial<KeyWish>): Promise<Caller>;
}

/** A folder that goes when the tests of the file are over. */
export function scratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-security-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Only the API: nothing moves by itself between two looks. */
export async function openSecurityFixture(env: NodeJS.ProcessEnv = {}): Promise<SecurityFixture> {
  const folder = scratchFolder();
  const given = { PORT: '0', PAWL_DATA: folder, PAWL_AUTH: 'on', PAWL_ROLES: 'api', ...env };
  const platform = await startPlatform(readConfiguration(given), silentLog);
  after(() => platform.stop());
  return {
    platform,
    folder,
    nobody: new Caller(platform.url, {}),
    holder: async (wish) => {
      const whole = { name: 'someone', roles: ['admin' as const], tenant: 'default', ...wish };
      const made = await createKey(platform.engine, OPEN_CREDENTIAL, whole);
      return new Caller(platform.url, { authorization: `Bearer ${made.text}` });
    },
  };
}
