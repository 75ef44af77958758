import type { Fault } from 'pawl/define';
import { type GatewaySettings, readSettings, SETTINGS } from './settings.ts';

/** How a provider knows who asks. Secrets are held here and shown nowhere. */
export type ProviderAuth =
  | { readonly type: 'none' }
  | { readonly type: 'basic'; readonly user: string; readonly password: string }
  | { readonly type: 'api_key'; readonly header: string; readonly key: string }
  | { readonly type: 'bearer'; readonly token: string };

/** A server elsewhere whose processes are offered here. */
export interface Provider {
  /** Stands before the ids of its processes; it has no colon. */
  readonly name: string;
  /** Without a slash at its end. */
  readonly url: string;
  readonly title: string | null;
  readonly auth: ProviderAuth;
  /** Null: all of them. */
  readonly include: readonly string[] | null;
  readonly exclude: readonly string[];
  /** The same server under other addresses, for when the first cannot be reached. */
  readonly otherUrls: readonly string[];
  /** Other origins that it may redirect to. */
  readonly redirectOrigins: readonly string[];
  /** Whether callers without a name see its processes. */
  readonly isAnonymous: boolean;
  /** Which groups of users see its processes; undefined: all users. */
  readonly groups?: readonly string[] | undefined;
  readonly settings: GatewaySettings;
  /** Of processes that have settings of their own, by their ids; whole. */
  readonly processSettings: ReadonlyMap<string, GatewaySettings>;
}

/** The provider with the settings that one of its processes has. */
export function forProcess(provider: Provider, process: string): Provider {
  const settings = provider.processSettings.get(process);
  return settings === undefined ? provider : { ...provider, settings };
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$/;
const HEADER = /^[A-Za-z0-9-]{1,64}$/;

const MEMBERS = new Set([
  'url',
  'other_urls',
  'title',
  'auth',
  'processes',
  'redirect_origins',
  'anonymous_access',
  'groups',
]);

interface Reading {
  readonly env: NodeJS.ProcessEnv;
  readonly settings: GatewaySettings;
  readonly faults: Fault[];
}

/** Reads one provider of the file; what is wrong with it is added to the faults. */
export function readProvider(name: string, value: unknown, reading: Reading): Provider {
  const pointer = `/providers/${name}`;
  const faulty = (member: string, message: string): void =>
    void reading.faults.push({ pointer: pointer + member, message });
  if (!NAME.test(name)) faulty('', 'must have a name of 1 to 32 letters, digits or . _ -');
  const members = objectOf(value);
  if (members === null) faulty('', 'must be an object with a url');
  const { url, title, auth, processes, groups, anonymous_access: isAnonymous } = members ?? {};
  for (const member of Object.keys(members ?? {})) {
    if (MEMBERS.has(member) || Object.hasOwn(SETTINGS, member)) continue;
    faulty(`/${member}`, 'is not known');
  }
  if (!isPlainUrl(url)) faulty('/url', 'must be a URL like https://host/path, without credentials');
  const { include, exclude, settings: own = {} } = objectOf(processes) ?? {};
  const others = members?.['other_urls'];
  const origins = members?.['redirect_origins'];
  const settings = readSettings(members ?? {}, reading.settings, { ...reading, pointer });
  return {
    name,
    url: isPlainUrl(url) ? url.replace(/\/+$/, '') : '',
    title: typeof title === 'string' ? title : null,
    auth: readAuth(auth, { ...reading, pointer: `${pointer}/auth` }),
    include: include === undefined ? null : textsOf(include, () => faulty('/include', LIST)),
    exclude: exclude === undefined ? [] : textsOf(exclude, () => faulty('/exclude', LIST)),
    redirectOrigins: origins === undefined ? [] : originsOf(origins, faulty),
    isAnonymous: isAnonymous === true,
    otherUrls: others === undefined ? [] : urlsOf(others, faulty),
    groups: groups === undefined ? undefined : textsOf(groups, () => faulty('/groups', GROUPS)),
    settings,
    processSettings: readProcessSettings(own, { ...reading, settings, pointer }),
  };
}

function readProcessSettings(
  value: unknown,
  { settings, faults, pointer }: Reading & { pointer: string },
): ReadonlyMap<string, GatewaySettings> {
  const at = `${pointer}/processes/settings`;
  const read = Object.entries(objectOf(value) ?? {}).map(([process, given]) => {
    const members = objectOf(given) ?? {};
    for (const name of Object.keys(members)) {
      if (Object.hasOwn(SETTINGS, name)) continue;
      faults.push({ pointer: `${at}/${process}/${name}`, message: 'is not a setting' });
    }
    const report = { pointer: `${at}/${process}`, faults };
    return [process, readSettings(members, settings, report)] as const;
  });
  return new Map(read);
}

function urlsOf(
  value: unknown,
  faulty: (member: string, message: string) => void,
): readonly string[] {
  const message = 'must be a list of URLs like https://host/path, without credentials';
  const urls = textsOf(value, () => faulty('/other_urls', message));
  if (!urls.every(isPlainUrl)) faulty('/other_urls', message);
  return urls.map((url) => url.replace(/\/+$/, ''));
}

const LIST = 'must be a list of process ids';
const GROUPS = 'must be a list of groups';

function objectOf(value: unknown): Record<string, unknown> | null {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as Record<string, unknown>) : null;
}

function isPlainUrl(url: unknown): url is string {
  if (typeof url !== 'string' || !URL.canParse(url)) return false;
  const { protocol, username, password, search, hash } = new URL(url);
  return /^https?:$/.test(protocol) && username + password + search + hash === '';
}

function textsOf(value: unknown, onFault: () => void): readonly string[] {
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value;
  onFault();
  return [];
}

function originsOf(
  value: unknown,
  faulty: (member: string, message: string) => void,
): readonly string[] {
  const message = 'must be a list of origins like https://host:port';
  const origins = textsOf(value, () => faulty('/redirect_origins', message));
  const isOrigin = (one: string): boolean => URL.canParse(one) && new URL(one).origin === one;
  if (!origins.every(isOrigin)) faulty('/redirect_origins', message);
  return origins;
}

function readAuth(value: unknown, reading: Reading & { pointer: string }): ProviderAuth {
  if (value === undefined || value === null) return { type: 'none' };
  const members = objectOf(value) ?? {};
  const secret = (member: string): string => readSecret(members, member, reading);
  switch (members['type']) {
    case 'none':
      return { type: 'none' };
    case 'basic':
      return { type: 'basic', user: secret('user'), password: secret('password') };
    case 'api_key': {
      const { header = 'X-API-Key' } = members;
      if (typeof header === 'string' && HEADER.test(header)) {
        return { type: 'api_key', header, key: secret('key') };
      }
      const message = 'must be the name of a header';
      reading.faults.push({ pointer: `${reading.pointer}/header`, message });
      return { type: 'none' };
    }
    case 'bearer':
      return { type: 'bearer', token: secret('token') };
    default: {
      const message = 'must be "none", "basic", "api_key" or "bearer"';
      reading.faults.push({ pointer: `${reading.pointer}/type`, message });
      return { type: 'none' };
    }
  }
}

/** Written out, or `{"env": "NAME"}`: then it is in that variable of the environment. */
function readSecret(
  members: Readonly<Record<string, unknown>>,
  member: string,
  { env, faults, pointer }: Reading & { pointer: string },
): string {
  const value = members[member];
  const variable = objectOf(value)?.['env'];
  const secret = typeof variable === 'string' ? env[variable] : value;
  if (typeof secret === 'string' && secret !== '' && /^[\x20-\x7e]+$/.test(secret)) return secret;
  const message = 'must be a text, or {"env": "NAME"} for a variable that is set';
  faults.push({ pointer: `${pointer}/${member}`, message });
  return '';
}

/** The header by which a request says who asks. */
export function authHeaders(auth: ProviderAuth): Record<string, string> {
  switch (auth.type) {
    case 'none':
      return {};
    case 'basic': {
      const pair = Buffer.from(`${auth.user}:${auth.password}`).toString('base64');
      return { authorization: `Basic ${pair}` };
    }
    case 'api_key':
      return { [auth.header.toLowerCase()]: auth.key };
    case 'bearer':
      return { authorization: `Bearer ${auth.token}` };
  }
}

/** A text of the provider's without the secrets that it was sent. */
export function withoutSecrets({ auth }: Provider, text: string): string {
  const sent = Object.values(authHeaders(auth)).flatMap((value) => [
    value,
    value.split(' ').at(-1)!,
  ]);
  const secrets = auth.type === 'basic' ? [...sent, auth.password] : sent;
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, '***'), text);
}

/** Whether a process of the provider is offered here. */
export function offers({ include, exclude }: Provider, process: string): boolean {
  return (include === null || include.includes(process)) && !exclude.includes(process);
}
