// The one way out: every HTTP request that the product sends on its own goes through here.
import { Agent, type Dispatcher } from 'undici';
import { parseAllowList } from './allow-list.ts';
import { answerOf } from './answer.ts';
import { guardedConnector, isUnconnected } from './connect.ts';
import { Deadline } from './deadline.ts';
import { readDestination, type Resolve, resolveGuarded, systemResolve } from './guard.ts';
import type { Outgoing, OutgoingRequest, OutgoingResponse } from 'pawl/internal/outgoing/outgoing';
import { OutgoingError } from 'pawl/internal/outgoing/outgoing-error';

/** Options of the guarded HTTP client. */
export interface OutgoingOptions {
  /** Hosts, host:port, addresses or CIDR ranges that may be reached though they are not public. */
  readonly allow?: readonly string[];
  /** From the first byte sent to the last byte read; 30 seconds. */
  readonly timeoutMs?: number;
  /** 8 MiB. */
  readonly responseBytesMax?: number;
  /** How names become addresses; the machine's own way unless given. */
  readonly resolve?: Resolve;
}

const TIMEOUT_MS = 30_000;
const RESPONSE_BYTES_MAX = 8 * 1024 * 1024;
const CONNECTIONS_PER_HOST_MAX = 32;

/** They describe one connection, so a caller has no say in them. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Opens the client. Proxies named in the environment are not used. */
export function createOutgoing(options: OutgoingOptions = {}): Outgoing {
  const { timeoutMs = TIMEOUT_MS, responseBytesMax = RESPONSE_BYTES_MAX } = options;
  const { resolve = systemResolve } = options;
  const allow = parseAllowList(options.allow ?? []);
  const agent = new Agent({
    connect: guardedConnector(allow, resolve),
    connections: CONNECTIONS_PER_HOST_MAX,
    allowH2: false,
    // The deadline of each request is exact; these would only come before it.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return {
    fetch: (url, request = {}) => send(agent, url, { timeoutMs, responseBytesMax, ...request }),
    async check(url) {
      const destination = readDestination(url);
      await resolveGuarded(destination, allow, resolve).catch((error: unknown) => {
        if (error instanceof OutgoingError && error.code === 'network') return;
        throw error;
      });
    },
    close: () => agent.destroy(),
  };
}

type BoundedRequest = OutgoingRequest & { timeoutMs: number; responseBytesMax: number };

async function send(
  agent: Agent,
  to: string | URL,
  request: BoundedRequest,
): Promise<OutgoingResponse> {
  const { url } = readDestination(to);
  const { method = 'GET', body = null, timeoutMs, bodyTimeoutMs, responseBytesMax } = request;
  const deadline = new Deadline(timeoutMs, request.signal);
  const named = { url, deadline, asked: request.signal };
  const options = {
    origin: url.origin,
    path: url.pathname + url.search,
    method: method.toUpperCase(),
    headers: headersOf(request.headers ?? {}),
    body,
    signal: deadline.signal,
  };
  const response = await agent.request(options).catch((error: unknown) => {
    deadline.release();
    throw errorOf(error, named);
  });
  if (bodyTimeoutMs !== undefined) deadline.setTo(bodyTimeoutMs);
  return answerOf({
    status: response.statusCode,
    headers: headersFrom(response.headers),
    body: bounded(response.body, responseBytesMax, named),
    discard: () => {
      deadline.release();
      response.body.on('error', () => undefined).destroy();
    },
  });
}

function headersOf(given: Readonly<Record<string, string>>): Record<string, string> {
  const sent: Record<string, string> = { 'accept-encoding': 'identity', 'user-agent': 'pawl' };
  for (const [name, value] of Object.entries(given)) {
    if (!HOP_BY_HOP.has(name.toLowerCase())) sent[name.toLowerCase()] = value;
  }
  return sent;
}

function headersFrom(received: Dispatcher.ResponseData['headers']): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(received)) {
    for (const one of Array.isArray(value) ? value : [value ?? '']) headers.append(name, one);
  }
  return headers;
}

async function* bounded(
  body: AsyncIterable<Uint8Array>,
  bytesMax: number,
  named: Circumstances,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  try {
    for await (const chunk of body) {
      bytes += chunk.byteLength;
      if (bytes > bytesMax) {
        throw new OutgoingError('too_large', `the answer is longer than ${bytesMax} bytes`);
      }
      yield chunk;
    }
  } catch (error) {
    throw errorOf(error, named);
  } finally {
    named.deadline.release();
  }
}

interface Circumstances {
  readonly url: URL;
  readonly deadline: Deadline;
  readonly asked: AbortSignal | undefined;
}

/** Own errors pass, an abort by the caller is the caller's; all else gets a code. */
function errorOf(error: unknown, { url, deadline, asked }: Circumstances): Error {
  if (error instanceof OutgoingError) return error;
  if (asked?.aborted === true) return asked.reason as Error;
  const { code = 'no answer' } = error as { code?: string };
  const isUnsent = isUnconnected(error) || hasWrittenNothing(error);
  if (deadline.isOver || code === 'UND_ERR_CONNECT_TIMEOUT') {
    const message = `${url.host} did not answer in full within ${deadline.ms} ms`;
    return new OutgoingError('timeout', message, error, { isUnsent });
  }
  const message = `the request to ${url.host} failed: ${code}`;
  return new OutgoingError('network', message, error, { isUnsent });
}

/** What the client says of a socket that has ended under a request. */
function hasWrittenNothing(error: unknown): boolean {
  const { socket } = error as { socket?: { bytesWritten?: number } | null };
  return socket?.bytesWritten === 0;
}
