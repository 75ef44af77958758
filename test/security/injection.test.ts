// Text that means something to somebody on its way: to HTTP, to a stream, to JSON, to SQL.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { inRepository } from '../../scripts/run/repository.ts';
import { frameOf } from '@pawl/server/internal/http/sse-frame';
import { type SseMessage, readMessages } from 'pawl/internal/client/sse';
import { openSecurityFixture } from './fixture.ts';

const ODD_TEXTS: readonly string[] = [
  'a\r\nset-cookie: x=1',
  'a\n\ndata: {"forged":true}\n\n',
  'a\rid: 9.9\r\n',
  '\u2028\u2029',
  '\u001b[31mred\u001b[0m',
  '"; filename="evil.html',
  '../../../etc/passwd',
  '<script>alert(1)</script>',
  '=1+1',
];

const SQL_TEXTS: readonly string[] = [
  "'; DROP TABLE jobs; --",
  "' OR '1'='1",
  '1; SELECT pg_sleep(1)',
  '$1',
  '?1',
  ':tenant',
  '%',
  '_',
  "\\'; --",
  '") UNION SELECT 1,2,3 --',
];

const fixture = await openSecurityFixture();
const admin = await fixture.holder({});
await admin.put('/v1/types/t', { lifecycle: 'task' });

async function messagesOf(bytes: string): Promise<SseMessage[]> {
  async function* body(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(bytes);
  }
  const messages: SseMessage[] = [];
  for await (const one of readMessages(body(), { lastEventId: null, retryMs: null })) {
    messages.push(one);
  }
  return messages;
}

describe('odd text in every field that takes text', () => {
  for (const odd of ODD_TEXTS) {
    test(`[S10] ${JSON.stringify(odd)} comes back as it was, as JSON and along a stream`, async () => {
      const job = { type: 't', input: odd, documentId: odd, correlationId: odd, metadata: { odd } };
      const made = await admin.post('/v1/jobs', job);
      assert.equal(made.status, 202, made.text);
      const { json } = await admin.get(`/v1/jobs/${made.json.id}`);
      assert.deepEqual([json.documentId, json.correlationId, json.metadata.odd], [odd, odd, odd]);
      assert.equal(made.headers.get('set-cookie'), null);
      const cancel = { reason: odd };
      await admin.post(`/v1/jobs/${made.json.id}/cancel`, cancel);
      const headers = { accept: 'text/event-stream', 'last-event-id': '0.0' };
      const path = `/v1/jobs/${made.json.id}/events`;
      const messages = await messagesOf((await admin.call('GET', path, { headers })).text);
      const events = messages.map(({ data }) => JSON.parse(data) as Record<string, unknown>);
      assert.deepEqual(
        events.map((event) => [event['type'], event['cause']]),
        [
          ['job_created', null],
          ['job_cancelled', odd],
        ],
      );
    });

    test(`[S10] ${JSON.stringify(odd)} as the name of a file makes no header of its own`, async () => {
      const upload = `/v1/artifacts?name=${encodeURIComponent(odd)}`;
      const headers = { 'content-type': 'application/octet-stream' };
      const body = Buffer.from('x');
      const { status, json } = await admin.call('POST', upload, { body, headers });
      if (status !== 201) return assert.equal(status, 400);
      const { json: link } = await admin.get(`/v1/artifacts/${json.id}/link`);
      const path = new URL(link.url, admin.url).href.slice(admin.url.length);
      const { headers: told } = await admin.get(path);
      const disposition = told.get('content-disposition')!;
      assert.match(disposition, /^attachment; filename="[^"\\/]*"; filename\*=UTF-8''[\w.%~!-]*$/);
      assert.equal(told.get('set-cookie'), null);
    });
  }

  test('[S10] a field of a stream cannot end itself and begin another', async () => {
    const frame = frameOf({ id: '1\n2\r3', event: 'a\ndata: {}', data: { text: 'x\n\ny' } });
    const messages = await messagesOf(frame);
    assert.equal(messages.length, 1);
    assert.deepEqual(JSON.parse(messages[0]!.data), { text: 'x\n\ny' });
  });
});

describe('names that reach for prototypes', () => {
  const before = Object.getOwnPropertyNames(Object.prototype).toSorted();
  after(() => {
    assert.deepEqual(Object.getOwnPropertyNames(Object.prototype).toSorted(), before);
  });
  const bodies = [
    '{"type":"t","input":{"__proto__":{"isAdmin":true}}}',
    '{"type":"t","input":{"\\u005f\\u005fproto__":{"isAdmin":true}}}',
    '{"type":"t","metadata":{"constructor":{"prototype":{"isAdmin":true}}}}',
    '{"__proto__":{"type":"t"}}',
  ];
  for (const body of bodies) {
    test(`[S11] ${body} is refused, and nothing is anybody's prototype`, async () => {
      const { status, json } = await admin.call('POST', '/v1/jobs', { body: Buffer.from(body) });
      assert.deepEqual([status, json.code], [400, 'VALIDATION_ERROR']);
      assert.equal(({} as { isAdmin?: boolean }).isAdmin, undefined);
    });
  }

  test('[S11] a member that nobody knows is refused by its name', async () => {
    const { status, json } = await admin.post('/v1/jobs', { type: 't', isAdmin: true });
    assert.deepEqual([status, json.errors[0].pointer], [400, '/isAdmin']);
  });
});

describe('text that looks like SQL', () => {
  for (const text of SQL_TEXTS) {
    test(`[S18] ${text} is a value wherever it is given`, async () => {
      const job = { type: 't', documentId: text, correlationId: text, metadata: { text } };
      const { status, json } = await admin.post('/v1/jobs', job);
      assert.equal(status, 202);
      for (const name of ['documentId', 'correlationId']) {
        const found = await admin.get(`/v1/jobs?${name}=${encodeURIComponent(text)}`);
        const ids = found.json.items.map(({ id }: { id: string }) => id);
        assert.deepEqual(ids, [json.id], `${name} finds the one job that has it`);
      }
      for (const path of ['jobs?type=', 'jobs?cursor=', 'dlq?type=', 'jobs?queue=', 'slo?type=']) {
        const answer = await admin.get(`/v1/${path}${encodeURIComponent(text)}`);
        assert.ok(answer.status === 200 || answer.status === 400, `${path} ${answer.text}`);
        assert.doesNotMatch(answer.text, /syntax error|SQLITE_|near "/i);
      }
    });
  }

  test('[S18] no statement has a value written into it, but where somebody has looked', () => {
    /** Constants of the program, a number, and the one function that doubles quotes. */
    const looked = ['postgres/database.ts', 'postgres/schemas.ts', 'sqlite/list.ts'];
    const folder = inRepository('packages/pawl/src/store');
    const files = globSync('{sqlite,postgres}/*.ts', { cwd: folder }).toSorted();
    assert.ok(files.length > 40);
    const quoting = files.filter((file) => {
      const text = readFileSync(join(folder, file), 'utf8');
      return !file.endsWith('.test.ts') && /'\$\{[a-z]/.test(text);
    });
    assert.deepEqual(quoting, looked);
  });
});

test('[S21] what a job names is data: no module is loaded and no command run for it', async () => {
  for (const type of ['node:child_process', './evil.js', '../../x', 'file:///etc/passwd', 'fs']) {
    const { status } = await admin.post('/v1/jobs', { type, input: { module: type, run: 'exec' } });
    assert.ok(status === 400 || status === 404, `${type} ${status}`);
  }
  const sources = globSync('packages/*/src/**/*.ts', {
    cwd: inRepository('.'),
  }).filter((path) => !path.endsWith('.test.ts'));
  const evaluates = /\beval\s*\(|new Function\s*\(|\bvm\.run|deserialize\s*\(/;
  const evaluating = sources.filter((path) => {
    return evaluates.test(readFileSync(inRepository(path), 'utf8'));
  });
  assert.deepEqual(evaluating, []);
});
