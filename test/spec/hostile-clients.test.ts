// Some hundred kinds of hostile requests, byte by byte: each is answered as the API's own document
// says, on a connection in the state that the answer tells, and the server stays as it was.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Authenticator } from '@pawl/server/internal/auth/authenticator';
import { ERRORS, type ErrorCode } from 'pawl/internal/core/errors';
import { CONTENT_REQUESTS } from '../support/hostile/content-requests.ts';
import { FRAMING_REQUESTS } from '../support/hostile/framing-requests.ts';
import { HEADER_REQUESTS } from '../support/hostile/header-requests.ts';
import type { HostileRequest } from '../support/hostile/request-bytes.ts';
import { Wire, type WireAnswer } from '../support/hostile/wire.ts';
import { openStation, type Station } from './http-station.ts';

const HOSTILE_REQUESTS = [...FRAMING_REQUESTS, ...HEADER_REQUESTS, ...CONTENT_REQUESTS];

const PROBE =
  'GET /livez HTTP/1.1\r\nhost: localhost\r\nx-request-id: probe\r\nconnection: close\r\n\r\n';

function partsOf({ bytes }: HostileRequest): { method: string; path: string } {
  const [, method = '', target = ''] = /^([A-Z-]+) (\S+)/.exec(bytes) ?? [];
  return { method, path: target.split('?')[0]! };
}

/** The paragraph of the document about answers that any request can get. */
function edgeCodesOf({ api }: Station): ReadonlySet<string> {
  const { description } = api.contract.document.info;
  const [, paragraph = ''] = /\*\*At the edge\.\*\*((?:.|\n(?!\n))*)/.exec(description) ?? [];
  return new Set([...paragraph.matchAll(/`([A-Z_]+)`/g)].map(([, code]) => code!));
}

function problemIn({ status, headers, body }: WireAnswer): ErrorCode {
  assert.match(headers['content-type'] ?? '', /^application\/problem\+json/);
  const problem = JSON.parse(body) as { status: number; code: ErrorCode; detail: string };
  assert.ok(problem.code in ERRORS, problem.code);
  assert.deepEqual([problem.status, ERRORS[problem.code].status], [status, status]);
  assert.notEqual(problem.detail, '');
  assert.doesNotMatch(body, /node_modules|\.ts:\d|ECONN|SQLITE|FST_ERR/);
  return problem.code;
}

/** What HTTP asks of an answer by its status. */
const OWED: Readonly<Record<number, string>> = {
  401: 'www-authenticate',
  405: 'allow',
  429: 'retry-after',
  503: 'retry-after',
};

function checkAnswer(station: Station, request: HostileRequest, answer: WireAnswer): void {
  const { method, path } = partsOf(request);
  const { status, headers, body } = answer;
  assert.ok(status < 500 || status === 501, `${status} ${body}`);
  assert.equal(headers['x-content-type-options'], 'nosniff');
  const owed = OWED[status];
  if (owed !== undefined) assert.ok(headers[owed], `${status} without ${owed}`);
  if (status === 415)
    assert.ok(headers['accept'] ?? headers['accept-encoding'], '415 says of what');
  if (method === 'HEAD') return;
  const isProblem = status >= 400;
  if (isProblem && edgeCodesOf(station).has(problemIn(answer))) return;
  const isJson = /[/+]json/.test(headers['content-type'] ?? '');
  const seen = { status, headers, body: isJson ? (JSON.parse(body) as unknown) : body };
  station.api.contract.check(method, path, seen);
}

async function isAlive({ url }: Station): Promise<boolean> {
  const wire = await Wire.open(url);
  wire.send(PROBE);
  return (await wire.answer('GET'))?.status === 200;
}

async function suffer(station: Station, request: HostileRequest): Promise<void> {
  const { method } = partsOf(request);
  const wire = await Wire.open(station.url);
  wire.send(request.bytes);
  if (request.ends === true) wire.end();
  let answer = await wire.answer(method);
  assert.ok(answer !== null || request.ends === true, 'closed without an answer');
  if (answer?.isLast === false && request.ends !== true) wire.send(PROBE);
  while (answer !== null && answer.headers['x-request-id'] !== 'probe') {
    checkAnswer(station, request, answer);
    if (answer.isLast) break;
    answer = await wire.answer('GET');
    assert.ok(answer !== null || request.ends === true, 'the connection was said to stay');
  }
  assert.ok(await wire.isClosed(), 'the connection was said to be closed');
  assert.ok(await isAlive(station));
}

const open = await openStation();
const { accessKeys } = open.api.world.engine;
const authenticator = new Authenticator({ accessKeys, clock: open.api.world.clock });
const stations = {
  'without credentials': open,
  'with credentials': await openStation({ authenticator }),
};

test('there are more than 300 kinds, and each is another one', () => {
  const [titles, bytes] = [
    HOSTILE_REQUESTS.map(({ what }) => what),
    HOSTILE_REQUESTS.map((one) => one.bytes),
  ];
  assert.ok(HOSTILE_REQUESTS.length > 300, String(HOSTILE_REQUESTS.length));
  assert.equal(new Set(titles).size, titles.length);
  assert.equal(new Set(bytes).size, bytes.length);
});

for (const [how, station] of Object.entries(stations)) {
  describe(`[S13, S23] a hostile client ${how} gets a documented answer`, () => {
    for (const request of HOSTILE_REQUESTS) {
      test(request.what, () => suffer(station, request));
    }
  });
}
