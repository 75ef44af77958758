// Requests with hostile headers and methods.
import {
  get,
  HOST,
  type HostileRequest,
  ID,
  JOB,
  JSON_TYPE,
  kinds,
  post,
  type Row,
  utf8,
} from './request-bytes.ts';

const HEADERS = kinds('headers', [
  ['a zero byte', get('/v1/jobs', 'x: a\0b\r\n')],
  ['a control character', get('/v1/jobs', 'x: a\x07b\r\n')],
  ['a DEL', get('/v1/jobs', 'x: a\x7fb\r\n')],
  ['bytes above ASCII', get('/v1/jobs', 'x: \xff\xfe\r\n')],
  ['no name', get('/v1/jobs', ': a\r\n')],
  ['no colon', get('/v1/jobs', 'nothing\r\n')],
  ['folded', get('/v1/jobs', 'x: a\r\n b\r\n')],
  ['folded first', `GET /v1/jobs HTTP/1.1\r\n x: a\r\n${HOST}\r\n`],
  ['a space before the colon', get('/v1/jobs', 'x : a\r\n')],
  ['a space in the name', get('/v1/jobs', 'x y: a\r\n')],
  ['a bracket in the name', get('/v1/jobs', 'x(y): a\r\n')],
  ['UTF-8 in the name', get('/v1/jobs', utf8('ü: a\r\n'))],
  ['a CR inside', get('/v1/jobs', 'x: a\rb\r\n')],
  ['an LF alone', get('/v1/jobs', 'x: a\ny: b\r\n')],
  ['too long', get('/v1/jobs', `x: ${'a'.repeat(20_000)}\r\n`)],
  ['a name that is too long', get('/v1/jobs', `${'a'.repeat(20_000)}: x\r\n`)],
  ['too many', get('/v1/jobs', 'a: b\r\n'.repeat(3_000))],
  ['very many', get('/v1/jobs', 'a: b\r\n'.repeat(1_500))],
  ['no host', 'GET /v1/jobs HTTP/1.1\r\n\r\n'],
  ['two hosts', get('/v1/jobs', 'host: other\r\n')],
  ['the same host twice', get('/v1/jobs', HOST)],
  ['an empty host', 'GET /v1/jobs HTTP/1.1\r\nhost:\r\n\r\n'],
  ['another host', 'GET /v1/jobs HTTP/1.1\r\nhost: evil.example\r\n\r\n'],
  ['a host with a path', 'GET /v1/jobs HTTP/1.1\r\nhost: localhost/x\r\n\r\n'],
  ['a host with a user', 'GET /v1/jobs HTTP/1.1\r\nhost: a@localhost\r\n\r\n'],
  ['a host with a port that is none', 'GET /v1/jobs HTTP/1.1\r\nhost: localhost:x\r\n\r\n'],
  ['a page of another origin', get('/v1/jobs', 'origin: https://evil.example\r\n')],
  ['an origin that is none', get('/v1/jobs', 'origin: ::::\r\n')],
  ['the null origin', get('/v1/jobs', 'origin: null\r\n')],
  ['a cross-site page', get('/v1/jobs', 'sec-fetch-site: cross-site\r\n')],
  ['an expectation', post('/v1/jobs', JOB, `${JSON_TYPE}expect: miracles\r\n`)],
  ['100-continue', post('/v1/jobs', JOB, `${JSON_TYPE}expect: 100-continue\r\n`)],
  ['a websocket', get('/v1/jobs', 'connection: upgrade\r\nupgrade: websocket\r\n')],
  ['an upgrade to HTTP/2', get('/v1/jobs', 'connection: upgrade\r\nupgrade: h2c\r\n')],
  ['an upgrade to nothing', get('/v1/jobs', 'connection: upgrade\r\nupgrade:\r\n')],
  ['a connection of garbage', get('/v1/jobs', 'connection: \x21\x21, keep, close-ish\r\n')],
  ['close and keep-alive', get('/v1/jobs', 'connection: close, keep-alive\r\n')],
  ['a body with a GET', get('/v1/jobs', 'content-length: 2\r\n').concat('{}')],
  ['a JSON body with a GET', get('/v1/jobs', `${JSON_TYPE}content-length: 2\r\n`).concat('{}')],
  ['bad JSON with a GET', get('/v1/jobs', `${JSON_TYPE}content-length: 2\r\n`).concat('{x')],
  ['an Accept of nothing', get('/v1/jobs', 'accept:\r\n')],
  ['an Accept of images', get('/v1/jobs', 'accept: image/png\r\n')],
  ['an Accept of garbage', get('/v1/jobs', 'accept: ;;;,/,q=\r\n')],
  ['an Accept-Encoding of garbage', get('/v1/jobs', 'accept-encoding: ;q=x,,*;q=9\r\n')],
  ['a refused identity', get('/v1/jobs', 'accept-encoding: identity;q=0\r\n')],
  ['a Range', get('/v1/jobs', 'range: bytes=9-1\r\n')],
  ['an If-None-Match of garbage', get(`/v1/jobs/${ID}`, 'if-none-match: """,,W/\r\n')],
  ['a long If-None-Match', get(`/v1/jobs/${ID}`, `if-none-match: ${'"a",'.repeat(500)}\r\n`)],
  ['a Prefer of garbage', get(`/v1/jobs/${ID}`, 'prefer: wait=-1, wait=x, wait=99999\r\n')],
  ['a Last-Event-ID of garbage', get(`/v1/jobs/${ID}/events`, 'last-event-id: ../../x\r\n')],
  ['a traceparent of garbage', get('/v1/jobs', 'traceparent: 00-0-0-0\r\n')],
  ['a request id of garbage', get('/v1/jobs', 'x-request-id: <script>\r\n')],
  ['an empty Idempotency-Key', post('/v1/jobs', JOB, `${JSON_TYPE}idempotency-key:\r\n`)],
  [
    'a long Idempotency-Key',
    post('/v1/jobs', JOB, `${JSON_TYPE}idempotency-key: ${'k'.repeat(481)}\r\n`),
  ],
  [
    'an Idempotency-Key above ASCII',
    post('/v1/jobs', JOB, `${JSON_TYPE}idempotency-key: \xff\r\n`),
  ],
  [
    'two Idempotency-Keys',
    post('/v1/jobs', JOB, `${JSON_TYPE}idempotency-key: a\r\nidempotency-key: b\r\n`),
  ],
  ['a forwarded method', post('/v1/jobs', JOB, `${JSON_TYPE}x-http-method-override: DELETE\r\n`)],
  [
    'a forwarded address',
    get('/v1/jobs', 'x-forwarded-for: 127.0.0.1, ::1\r\nforwarded: for=x\r\n'),
  ],
  ['a forwarded path', get('/v1/jobs', 'x-original-url: /v1/keys\r\nx-rewrite-url: /v1/keys\r\n')],
  ['Basic credentials', get('/v1/jobs', 'authorization: Basic YTpi\r\n')],
  ['credentials of garbage', get('/v1/jobs', 'authorization: Bearer \xff\xfe\r\n')],
  ['credentials without an end', get('/v1/jobs', `authorization: Bearer ${'a'.repeat(9_000)}\r\n`)],
  ['two credentials', get('/v1/jobs', 'authorization: Bearer a\r\nauthorization: Bearer b\r\n')],
  ['a prototype as a name', get('/v1/jobs', '__proto__: a\r\nconstructor: b\r\n')],
]);

const UNKNOWN_METHODS = ['FETCH', 'BREW', 'X', 'GETT', 'G-E_T', 'A'.repeat(64)];
const METHODS =
  'ACL BIND CHECKOUT CONNECT COPY DELETE HEAD LINK LOCK M-SEARCH MERGE MKACTIVITY MKCALENDAR ' +
  'MKCOL MOVE NOTIFY OPTIONS PATCH PROPFIND PROPPATCH PURGE PUT QUERY REBIND REPORT SEARCH ' +
  'SOURCE SUBSCRIBE TRACE UNBIND UNLINK UNLOCK UNSUBSCRIBE';

const VERBS = kinds('method', [
  ...UNKNOWN_METHODS.map((method): Row => [
    `${method.slice(0, 8)} is none`,
    `${method} /v1/jobs HTTP/1.1\r\n${HOST}\r\n`,
  ]),
  ...METHODS.split(' ').map((method): Row => [
    method,
    `${method} /v1/jobs HTTP/1.1\r\n${HOST}\r\n`,
  ]),
  ['QUERY with a body', post('/v1/jobs', '{}').replace('POST', 'QUERY')],
  ['POST to what is read', post(`/v1/jobs/${ID}`, '{}')],
  ['PATCH of a list', post('/v1/queues', '{}').replace('POST', 'PATCH')],
  ['PUT of health', post('/livez', '{}').replace('POST', 'PUT')],
  ['OPTIONS of everything', `OPTIONS * HTTP/1.1\r\n${HOST}\r\n`],
]);

export const HEADER_REQUESTS: readonly HostileRequest[] = [...HEADERS, ...VERBS];
