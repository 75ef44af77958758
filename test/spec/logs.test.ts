import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readConfiguration } from '@pawl/server/internal/app/configuration';
import { type Log, type LogOptions, openLog } from '@pawl/server/internal/app/log';
import { readLogSettings } from '@pawl/server/internal/app/log-settings';
import { openInner } from '../support/inner-pawl.ts';
import { type Platform, startPlatform } from '@pawl/server/internal/app/platform';
import { ManualClock } from 'pawl/internal/core/clock';
import { defineJob } from 'pawl/internal/handler/define-job';

function opened(more: Partial<LogOptions> = {}): { log: Log; lines: string[] } {
  const lines: string[] = [];
  const write = (text: string): void => void lines.push(text);
  const log = openLog({
    level: 'debug',
    format: 'json',
    hasColour: false,
    clock: new ManualClock(),
    write,
    ...more,
  });
  return { log, lines };
}

test('a line is one object of JSON with time, level, message and facts', () => {
  const { log, lines } = opened();
  log.warn('a job was lost', { jobId: 'j1', correlationId: 'c1', traceId: 't1', attempts: 2 });
  assert.equal(lines.length, 1);
  assert.ok(lines[0]!.endsWith('}\n'));
  assert.deepEqual(JSON.parse(lines[0]!), {
    time: '2026-01-01T00:00:00.000Z',
    level: 'warn',
    message: 'a job was lost',
    jobId: 'j1',
    correlationId: 'c1',
    traceId: 't1',
    attempts: 2,
  });
});

test('lines below the level are left out, and facts cannot pass for another level', () => {
  const { log, lines } = opened({ level: 'warn' });
  log.debug('no');
  log.info('no');
  log.error('yes', { level: 'debug', message: 'other', time: 'never' });
  assert.equal(lines.length, 1);
  const { level, message, time } = JSON.parse(lines[0]!);
  assert.deepEqual([level, message, time], ['error', 'yes', '2026-01-01T00:00:00.000Z']);
  const silent = opened({ level: 'silent' });
  silent.log.error('no');
  assert.deepEqual(silent.lines, []);
});

test('for people a line is coloured where that is wished, and nothing in it moves a terminal', () => {
  const { log, lines } = opened({ format: 'pretty' });
  log.info('up', { url: 'http://127.0.0.1:1', note: 'two words' });
  assert.equal(lines[0], '00:00:00.000 info  up url=http://127.0.0.1:1 note="two words"\n');
  log.warn('evil\u001b[2Jname\r\nsecond line\u2028third', { 'a\u001b]0;x\u0007': '\u0000' });
  assert.equal(lines[1]!.split('\n').length, 2);
  // oxlint-disable-next-line no-control-regex -- the very characters that must not get through
  assert.doesNotMatch(lines[1]!.trimEnd(), /[\u0000-\u001f\u007f\u2028]/);
  const coloured = opened({ format: 'pretty', hasColour: true });
  coloured.log.error('x');
  assert.ok(coloured.lines[0]!.includes('\u001b[31m'));
});

test('settings are named when they are wrong', () => {
  assert.deepEqual(readLogSettings({}), { level: 'info', format: null });
  assert.throws(() => readLogSettings({ LOG_LEVEL: 'loud' }), /LOG_LEVEL is "loud": give debug/);
  assert.throws(() => readLogSettings({ LOG_FORMAT: 'xml' }), /LOG_FORMAT is "xml": give json/);
  assert.throws(() => readConfiguration({ PAWL_METRICS_PORT: 'x' }), /PAWL_METRICS_PORT is "x"/);
});

const CANARY = 'CaNaRy0123456789CaNaRy0123456789';

/** Ways in which a secret comes along, each with the canary in it. */
const LEAKS: readonly unknown[] = [
  { authorization: `Bearer ${CANARY}` },
  { headers: { Cookie: `session=${CANARY}`, 'x-api-key': CANARY } },
  { error: `got "Authorization: Basic ${CANARY}" from the caller` },
  { url: `https://bucket/x?X-Amz-Signature=${CANARY}&part=1` },
  { url: `/v1/artifacts/a?expires=1&signature=${CANARY}` },
  { error: `connect failed: postgres://pawl:${CANARY}@db.internal/pawl` },
  { databaseUrl: `postgres://pawl:${CANARY}@db.internal/pawl` },
  { key: `pawl_abcdefghijkl_${CANARY}ABCDEF` },
  { jwt: `eyJhbGciOiJIUzI1NiJ9.${CANARY}.${CANARY}` },
  { webhook: `whsec_${CANARY}` },
  { input: { name: CANARY } },
  { job: { input: CANARY, result: CANARY, checkpoint: CANARY, metadata: { x: CANARY } } },
  { body: CANARY },
  ...['password', 'signature', 'dsn', 'linkKeys', 'apiKey', 'accessKeyId', 'setCookie'].map(
    (name) => {
      return { [name]: CANARY };
    },
  ),
  { deep: [{ deeper: { clientSecret: CANARY } }] },
  { message: `password=${CANARY}` },
  { pem: `-----BEGIN PRIVATE KEY-----\n${CANARY}\n-----END PRIVATE KEY-----` },
  new Error(`token: ${CANARY}`),
];

test('[S17] a planted secret is in no line, whatever way it comes', () => {
  for (const format of ['json', 'pretty'] as const) {
    for (const leak of LEAKS) {
      const { log, lines } = opened({ format });
      log.warn('something happened', { leak });
      assert.doesNotMatch(lines[0]!, /CaNaRy/, lines[0]!);
      assert.match(lines[0]!, /\[redacted\]/, lines[0]!);
    }
  }
});

test('a line is bounded, whatever it is about', () => {
  const { log, lines } = opened();
  const round: Record<string, unknown> = { text: 'x'.repeat(100_000) };
  round['self'] = round;
  round['many'] = Array.from({ length: 10_000 }, () => 1);
  round['bytes'] = Buffer.alloc(1_000_000);
  log.warn('large', { round, big: 10n, nothing: undefined, never: Number.NaN });
  assert.ok(lines[0]!.length < 20_000, String(lines[0]!.length));
  assert.equal(JSON.parse(lines[0]!).round.self, '[…]');
});

async function started(env: NodeJS.ProcessEnv): Promise<{ platform: Platform; lines: string[] }> {
  const { log, lines } = opened();
  const platform = await startPlatform(readConfiguration({ PORT: '0', ...env }), log);
  return { platform, lines };
}

test('[S17] a running platform names requests, jobs and traces in its lines, and no secret or payload', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-logs-'));
  const { platform, lines } = await started({ PAWL_DATA: folder });
  try {
    const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
    const headers = {
      'content-type': 'application/json',
      authorization: `Bearer ${CANARY}`,
      cookie: `session=${CANARY}`,
      traceparent: `00-${trace}-00f067aa0ba902b7-01`,
      'x-request-id': 'request-1',
    };
    const call = (method: string, path: string, body?: unknown) =>
      fetch(`${platform.url}${path}`, {
        method,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    await call('PUT', '/v1/types/t', { lifecycle: 'task' });
    const input = { secret: CANARY };
    const made = await call('POST', '/v1/jobs', { type: 't', input, documentId: CANARY });
    const { id } = (await made.json()) as { id: string };
    await call('GET', `/v1/jobs/${id}?token=${CANARY}`);
    await call('GET', `/v1/artifacts/${id}?signature=${CANARY}`);
    await call('POST', '/v1/jobs', { type: 't', inptu: CANARY });
    const told = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    const one = told.find(({ route, method }) => route === '/v1/jobs/:id' && method === 'GET');
    assert.deepEqual(
      [one?.['requestId'], one?.['jobId'], one?.['traceId'], one?.['level']],
      ['request-1', id, trace, 'info'],
    );
    assert.ok(told.some(({ route, level }) => route === '/v1/jobs' && level === 'debug'));
    assert.doesNotMatch(lines.join(''), /CaNaRy/);
    assert.ok(told.length >= 5);
  } finally {
    await platform.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});

test('a job that ended badly has a line with its error and where that came from', async () => {
  const { log, lines } = opened();
  const mend = defineJob('mend', {
    maxAttempts: 2,
    backoff: 0,
    run: () => {
      throw new RangeError(`password=${CANARY}`, { cause: new Error('no thread') });
    },
  });
  const pawl = await openInner({ database: ':memory:', jobs: [mend], log });
  after(() => pawl.close());
  pawl.work();
  const { id } = await pawl.ended(await pawl.enqueue(mend));
  const told = lines.map((line) => JSON.parse(line) as Record<string, string>);
  const failures = told.filter(({ message }) => message === 'pawl: job failed');
  assert.equal(failures.length, 1, 'one for the job, none for the attempt before');
  const { jobId, type, attempts, errorClass, error, stack, level } = failures[0]!;
  assert.deepEqual(
    [level, jobId, type, attempts, errorClass],
    ['warn', id, 'mend', 2, 'RangeError'],
  );
  assert.equal(error, 'password=[redacted]');
  assert.match(stack!, /logs\.test\.ts:\d+/);
  assert.match(stack!, /Caused by: Error: no thread/);
  assert.doesNotMatch(lines.join(''), /CaNaRy/);
});
