// A bucket in this process: enough of S3 to store objects, with every signature checked.
import { createHash, createHmac, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface S3Stub {
  readonly endpoint: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly objects: Map<string, { content: Buffer; writtenAt: number }>;
  /** Uploads that were begun and neither completed nor aborted. */
  readonly uploads: Map<string, Map<number, Buffer>>;
  readonly refused: string[];
  close(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly body?: string | Buffer;
  readonly headers?: Record<string, string>;
}

const REGION = 'auto';

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

/** Signature Version 4, computed from the request as it arrived. */
function signatureOf(request: IncomingMessage, url: URL, secret: string): string {
  const authorization = request.headers.authorization ?? '';
  const scope = /Credential=[^/]+\/([^,]+)/.exec(authorization)?.[1] ?? '';
  const names = (/SignedHeaders=([^,]+)/.exec(authorization)?.[1] ?? '').split(';');
  const pairs = url.search
    .slice(1)
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => (pair.includes('=') ? pair : `${pair}=`));
  const canonical = [
    request.method,
    url.pathname,
    pairs.sort().join('&'),
    ...names.map((name) => `${name}:${String(request.headers[name] ?? '').trim()}`),
    '',
    names.join(';'),
    request.headers['x-amz-content-sha256'],
  ].join('\n');
  const digest = createHash('sha256').update(canonical).digest('hex');
  const date = String(request.headers['x-amz-date']);
  const text = ['AWS4-HMAC-SHA256', date, scope, digest].join('\n');
  const [day = '', region = '', service = '', end = ''] = scope.split('/');
  const key = [region, service, end].reduce(hmac, hmac(`AWS4${secret}`, day));
  return hmac(key, text).toString('hex');
}

function isSigned(request: IncomingMessage, url: URL, stub: Omit<S3Stub, 'close'>): boolean {
  const authorization = request.headers.authorization ?? '';
  const given = /Signature=([0-9a-f]{64})/.exec(authorization)?.[1];
  const isOurs = authorization.includes(`Credential=${stub.accessKeyId}/`);
  const isHere = authorization.includes(`/${REGION}/s3/aws4_request`);
  return isOurs && isHere && given === signatureOf(request, url, stub.secretAccessKey);
}

function etagOf(content: Buffer): string {
  return `"${createHash('md5').update(content).digest('hex')}"`;
}

function put(stub: Omit<S3Stub, 'close'>, key: string, content: Buffer): Answer {
  stub.objects.set(key, { content, writtenAt: Date.now() });
  return { status: 200, headers: { etag: etagOf(content) } };
}

function upload(
  stub: Omit<S3Stub, 'close'>,
  asked: { method: string; key: string; query: URLSearchParams; content: Buffer },
): Answer {
  const { method, key, query, content } = asked;
  if (query.has('uploads')) {
    const id = randomUUID();
    stub.uploads.set(id, new Map());
    const inner = `<Bucket>b</Bucket><Key>${key}</Key><UploadId>${id}</UploadId>`;
    return xml(`<InitiateMultipartUploadResult>${inner}</InitiateMultipartUploadResult>`);
  }
  const id = query.get('uploadId')!;
  const parts = stub.uploads.get(id);
  if (parts === undefined) return { status: 404 };
  if (method === 'PUT') {
    parts.set(Number(query.get('partNumber')), content);
    return { status: 200, headers: { etag: etagOf(content) } };
  }
  stub.uploads.delete(id);
  if (method === 'DELETE') return { status: 204 };
  const whole = [...parts].sort(([one], [other]) => one - other).map(([, part]) => part);
  put(stub, key, Buffer.concat(whole));
  const inner = `<Location>l</Location><Bucket>b</Bucket><Key>${key}</Key><ETag>"e"</ETag>`;
  return xml(`<CompleteMultipartUploadResult>${inner}</CompleteMultipartUploadResult>`);
}

function xml(body: string): Answer {
  const text = `<?xml version="1.0" encoding="UTF-8"?>${body}`;
  return { status: 200, body: text, headers: { 'content-type': 'application/xml' } };
}

function list(stub: Omit<S3Stub, 'close'>, query: URLSearchParams): Answer {
  const prefix = query.get('prefix') ?? '';
  const after = query.get('continuation-token') ?? '';
  const max = Number(query.get('max-keys') ?? 1_000);
  const keys = [...stub.objects.keys()].sort().filter((key) => key.startsWith(prefix));
  const rest = keys.filter((key) => key > after);
  const page = rest.slice(0, max);
  const contents = page.map((key) => {
    const { content, writtenAt } = stub.objects.get(key)!;
    const time = new Date(writtenAt).toISOString();
    return `<Contents><Key>${key}</Key><LastModified>${time}</LastModified>
      <ETag>${etagOf(content)}</ETag><Size>${content.length}</Size></Contents>`;
  });
  const isMore = rest.length > page.length;
  const next = isMore ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
  return xml(`<ListBucketResult><IsTruncated>${isMore}</IsTruncated>
    <KeyCount>${page.length}</KeyCount>${contents.join('')}${next}</ListBucketResult>`);
}

function read(stub: Omit<S3Stub, 'close'>, key: string, range: string | undefined): Answer {
  const found = stub.objects.get(key);
  if (found === undefined) return { status: 404, body: 'no such key' };
  const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(range ?? '') ?? [];
  if (first === undefined) return { status: 200, body: found.content };
  const end = last === '' ? undefined : Number(last) + 1;
  return { status: 206, body: found.content.subarray(Number(first), end) };
}

function answer(
  stub: Omit<S3Stub, 'close'>,
  request: IncomingMessage,
  { url, content }: { url: URL; content: Buffer },
): Answer {
  const method = request.method!;
  if (!isSigned(request, url, stub)) {
    stub.refused.push(`${method} ${url.pathname}`);
    return { status: 403, body: 'SignatureDoesNotMatch' };
  }
  const key = decodeURIComponent(url.pathname.replace(/^\/bucket\/?/, ''));
  const query = url.searchParams;
  if (query.has('uploads') || query.has('uploadId')) {
    return upload(stub, { method, key, query, content });
  }
  if (key === '') return list(stub, query);
  if (method === 'PUT') return put(stub, key, content);
  if (method === 'DELETE') return { status: stub.objects.delete(key) ? 204 : 404 };
  return read(stub, key, request.headers.range);
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** Opens an empty bucket on a port of its own. */
export async function openS3Stub(): Promise<S3Stub> {
  const server: Server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const stub: Omit<S3Stub, 'close'> = {
    endpoint: `http://127.0.0.1:${port}/bucket`,
    accessKeyId: 'test-access',
    secretAccessKey: 'test-secret',
    objects: new Map(),
    uploads: new Map(),
    refused: [],
  };
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url!, 'http://127.0.0.1');
    const content = await bodyOf(request);
    const { status, body, headers } = answer(stub, request, { url, content });
    response.writeHead(status, headers).end(request.method === 'HEAD' ? undefined : body);
  };
  server.on('request', (request, response) => void serve(request, response));
  const close = async (): Promise<void> => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  };
  return { ...stub, close };
}
