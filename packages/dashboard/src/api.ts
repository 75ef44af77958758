// Requests to the server that serves this page, with the key that the user gave.
import { signal } from '@preact/signals';
import type { Page } from './page.ts';
import { KnownPosition } from '../../pawl/src/contract/position.ts';
import type { Problem } from '../../pawl/src/contract/problem.ts';

const KEY_NAME = 'pawl-key';

/** The largest page that the server gives. */
const PAGE_MAX = 500;

/** The API key of this tab; null while none is needed or none was given. */
export const apiKey = signal<string | null>(sessionStorage.getItem(KEY_NAME));

/** How far this page has written, so that it sees what it did. */
const position = new KnownPosition();

/** True once the server has refused us for want of a key. */
export const isKeyWanted = signal(false);

export function useKey(key: string): void {
  sessionStorage.setItem(KEY_NAME, key);
  apiKey.value = key;
  isKeyWanted.value = false;
}

export function forgetKey(): void {
  sessionStorage.removeItem(KEY_NAME);
  apiKey.value = null;
  isKeyWanted.value = true;
}

/** What the server refused, in its own words. */
export class ApiError extends Error {
  readonly problem: Partial<Problem>;
  readonly status: number;

  constructor(status: number, problem: Partial<Problem>) {
    super(problem.detail ?? `the server answered with ${status}`);
    this.status = status;
    this.problem = problem;
  }
}

export function headers(more: Record<string, string> = {}): Record<string, string> {
  const key = apiKey.value;
  const credential = key === null ? {} : { authorization: `Bearer ${key}` };
  return { ...position.headers, ...credential, ...more };
}

/** A path of the server, such as an artifact's link, below wherever this page is served. */
export function serverHref(path: string): string {
  return path.startsWith('/') ? `.${path}` : path;
}

type Query = Readonly<Record<string, string | number | undefined>>;

export function pathWith(path: string, query: Query = {}): string {
  const filled = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const text = new URLSearchParams(filled.map(([name, value]) => [name, String(value)])).toString();
  return text === '' ? path : `${path}?${text}`;
}

async function answerOf(response: Response): Promise<unknown> {
  if (response.status === 401) isKeyWanted.value = true;
  if (response.status === 204) return null;
  const isJson = (response.headers.get('content-type') ?? '').includes('json');
  const body: unknown = isJson ? await response.json() : await response.text();
  if (response.ok) return body;
  throw new ApiError(response.status, isJson ? (body as Problem) : {});
}

/** The browser's own words for a server that is away help nobody. */
async function ask(path: string, init: RequestInit): Promise<Response> {
  const { method = 'GET' } = init;
  try {
    const answer = await fetch(path, init);
    position.heed(method, answer);
    return answer;
  } catch (cause) {
    position.heed(method, null);
    throw new Error('The server cannot be reached. Is it still running?', { cause });
  }
}

/** An answer with what its headers say. */
export async function read(path: string): Promise<{ body: unknown; headers: Headers }> {
  const response = await ask(path, { headers: headers({ accept: 'application/json' }) });
  return { body: await answerOf(response), headers: response.headers };
}

export async function get<Body>(path: string, query: Query = {}): Promise<Body> {
  return (await read(pathWith(path, query))).body as Body;
}

/** A whole list, page by page. */
export async function getAll<Item, More = object>(
  path: string,
  query: Query = {},
): Promise<Page<Item> & More> {
  const items: Item[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await get<Page<Item> & More>(path, { ...query, limit: PAGE_MAX, cursor });
    items.push(...page.items);
    if (page.nextCursor === null) return { ...page, items };
    cursor = page.nextCursor;
  }
}

/** Carries an idempotency key, so that an impatient second click changes nothing. */
export async function send<Body>(
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  body?: unknown,
): Promise<Body> {
  const response = await ask(path, {
    method,
    headers: headers({
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(method === 'POST' ? { 'idempotency-key': newKey() } : {}),
    }),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return (await answerOf(response)) as Body;
}

/** Bytes as they are, such as a file that was dropped. */
export async function upload<Body>(path: string, file: File): Promise<Body> {
  const response = await ask(pathWith(path, { name: file.name }), {
    method: 'POST',
    headers: headers({
      'content-type': file.type === '' ? 'application/octet-stream' : file.type,
      'idempotency-key': newKey(),
    }),
    body: file,
  });
  return (await answerOf(response)) as Body;
}

/** `crypto.randomUUID` is there on secure origins only. */
function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}
