// Links by which people without a credential answer jobs: read freely, used once.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { Type } from 'typebox';
import { newLinkKey } from 'pawl/internal/artifact/link-keys';
import { signLink } from 'pawl/internal/artifact/link';
import { openLocked } from './auth-fixture.ts';
import { type Answer, type Api, LINKS, openApi } from './http-fixture.ts';

const HTML = { accept: 'text/html,application/xhtml+xml' };
const FORM = { ...HTML, 'content-type': 'application/x-www-form-urlencoded' };

const SCHEMA = Type.Object({
  yes: Type.Boolean(),
  by: Type.String({ minLength: 1, title: 'Your name' }),
});

async function opened(): Promise<Api> {
  const api = await openApi();
  after(() => api.close());
  return api;
}

/** The path and query of a link, as a server is asked for it. */
function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}

interface Asking {
  readonly url: string;
  readonly held: object;
  readonly link: string;
}

/** A job that waits for `approve`, and a link for it. */
async function asking(api: Api, more: object = {}): Promise<Asking> {
  const { url, held } = await api.claimed();
  const waits = [{ name: 'answer', kind: 'message', message: 'approve', schema: SCHEMA }];
  const { body } = await api.post(`${url}/messages/links`, { name: 'approve', ...more });
  assert.ok(String(body.url).startsWith(`${LINKS.publicUrl}/v1/message-links/`));
  await api.post(`${url}/await`, { ...held, waits });
  return { url, held, link: pathOf(body.url as string) };
}

function open(api: Api, link: string): Promise<Answer> {
  return api.call('GET', link, { headers: HTML });
}

function fill(api: Api, link: string, fields: Record<string, string> = {}): Promise<Answer> {
  const body = new URLSearchParams(fields).toString();
  return api.call('POST', link, { headers: FORM, body });
}

async function messages(api: Api, { url }: Asking): Promise<unknown[]> {
  const { items } = (await api.get(`${url}/messages`)).body;
  return (items as { name: string; payload: unknown; by: string }[]).map(
    ({ name, payload, by }) => [name, payload, by],
  );
}

const FILLED = { 'value/yes': 'true', 'value/by': 'Ann' };
const SENT = [['approve', { yes: true, by: 'Ann' }, 'api:message-link']];

describe('a message link', () => {
  test('shows a form of the schema, however often it is opened, and changes nothing', async () => {
    const api = await opened();
    const job = await asking(api);
    const before = (await api.get(job.url)).body.version;
    for (let round = 0; round < 3; round++) {
      const { status, headers, body } = await open(api, job.link);
      assert.equal(status, 200);
      assert.match(String(headers['content-type']), /^text\/html/);
      assert.match(
        String(headers['content-security-policy']),
        /^default-src 'none'; style-src 'sha/,
      );
      assert.match(body, /<h1>Send “approve”<\/h1>/);
      assert.match(body, /export, [0-9a-f-]{36}/);
      assert.match(body, /Your name<input type="text" name="value\/by" required>/);
      assert.match(body, /<input type="checkbox" name="value\/yes" value="true">/);
    }
    assert.equal((await api.get(job.url)).body.version, before);
    assert.deepEqual(await messages(api, job), []);
  });

  test('sends what was filled in, once', async () => {
    const api = await opened();
    const job = await asking(api);
    const sent = await fill(api, job.link, FILLED);
    assert.deepEqual([sent.status, /<h1>Sent<\/h1>/.test(sent.body)], [200, true]);
    assert.deepEqual(await messages(api, job), SENT);
    for (const again of [await fill(api, job.link, FILLED), await open(api, job.link)]) {
      assert.equal(again.status, 409);
      assert.match(again.body, /The link was used already: it can be used once/);
    }
    const program = await api.post(job.link, { value: 1 });
    assert.deepEqual([program.status, program.body.code], [409, 'LINK_USED']);
    assert.deepEqual(await messages(api, job), SENT);
  });

  test('says what is wrong with a form, keeps what was entered, and stays good', async () => {
    const api = await opened();
    const job = await asking(api);
    const wrong = await fill(api, job.link, { 'value/yes': 'true', 'value/by': '' });
    assert.equal(wrong.status, 400);
    assert.match(wrong.body, /<li>Your name is needed<\/li>/);
    assert.match(wrong.body, /name="value\/yes" value="true" checked>/);
    assert.equal((await fill(api, job.link, FILLED)).status, 200);
  });

  test('of several answers at once one is let in', async () => {
    const api = await opened();
    const job = await asking(api);
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) => api.post(job.link, { value: { n } })),
    );
    const used = answers.filter(({ body }) => body.code === 'LINK_USED');
    const sent = answers.filter(({ status }) => status === 202);
    assert.deepEqual([sent.length, used.length], [1, 7]);
    assert.equal((await messages(api, job)).length, 1);
  });

  test('with a value has one button, and sends that value whatever it is told', async () => {
    const api = await opened();
    const job = await asking(api, { value: { yes: true, by: '<b>Bo</b>' } });
    const { body } = await open(api, job.link);
    assert.match(body, /<dd>\{&quot;yes&quot;:true,&quot;by&quot;:&quot;&lt;b&gt;Bo/);
    assert.doesNotMatch(body, /<input|<textarea|<select/);
    assert.equal((await fill(api, job.link, { 'value/yes': 'no' })).status, 200);
    const value = { yes: true, by: '<b>Bo</b>' };
    assert.deepEqual(await messages(api, job), [['approve', value, 'api:message-link']]);
  });

  test('speaks JSON with programs', async () => {
    const api = await opened();
    const job = await asking(api);
    const { status, body } = await api.get(job.link);
    assert.deepEqual(
      [status, body.type, body.name, body.hasValue, body.schema.required],
      [200, 'export', 'approve', false, ['yes', 'by']],
    );
    assert.equal((await api.post(job.link, { value: 7 })).status, 202);
    assert.deepEqual(await messages(api, job), [['approve', 7, 'api:message-link']]);
  });

  test('asks for any answer where no wait has said what it takes', async () => {
    const api = await opened();
    const { url } = await api.claimed();
    const { body } = await api.post(`${url}/messages/links`, { name: 'later' });
    const link = pathOf(body.url as string);
    assert.match((await open(api, link)).body, /A text, or JSON\./);
    await fill(api, link, { 'value/': 'go on' });
    const { items } = (await api.get(`${url}/messages`)).body;
    assert.equal(items[0].payload, 'go on');
  });

  test('[S7] ends after its time, to the millisecond', async () => {
    const api = await opened();
    const job = await asking(api, { ttlMs: 60_000 });
    api.world.clock.advance(59_999);
    assert.equal((await open(api, job.link)).status, 200);
    api.world.clock.advance(1);
    const page = await open(api, job.link);
    assert.deepEqual([page.status, /The link has expired\./.test(page.body)], [403, true]);
    const program = await api.post(job.link);
    assert.deepEqual([program.status, program.body.code], [403, 'LINK_EXPIRED']);
    assert.deepEqual(await messages(api, job), []);
  });

  test('ends with its job', async () => {
    const api = await opened();
    const [job, used] = [await asking(api), await asking(api)];
    await api.post(used.link, { value: 1 });
    for (const { url } of [job, used]) await api.post(`${url}/cancel`);
    const page = await open(api, job.link);
    assert.deepEqual([page.status, /the job has ended/.test(page.body)], [403, true]);
    const program = await api.post(job.link, { value: 1 });
    assert.deepEqual([program.status, program.body.code], [403, 'LINK_EXPIRED']);
    assert.equal((await api.post(used.link)).body.code, 'LINK_USED');
    const late = await api.post(`${job.url}/messages/links`, { name: 'approve' });
    assert.deepEqual([late.status, late.body.code], [409, 'ILLEGAL_TRANSITION']);
  });

  test('[S7] with any character changed is refused', async () => {
    const api = await opened();
    const { link } = await asking(api, { value: 'no' });
    const [path, query] = link.split('?') as [string, string];
    for (let at = 0; at < query.length; at++) {
      const char = query[at] === 'A' ? 'B' : 'A';
      const changed = `${path}?${query.slice(0, at)}${char}${query.slice(at + 1)}`;
      assert.equal((await api.get(changed)).body.code, 'LINK_INVALID', changed);
    }
    const page = await open(api, `${link}&utm_source=mail`);
    assert.deepEqual([page.status, /not issued by this platform/.test(page.body)], [403, true]);
    assert.equal((await api.post(path)).body.code, 'LINK_INVALID');
  });

  test('[S7] is no link to an artifact, and none of those is one of these', async () => {
    const api = await opened();
    const { link } = await asking(api);
    assert.equal((await api.get(link.replace('message-links', 'artifacts'))).status, 403);
    const id = link.split(/[/?]/)[3]!;
    const claims = {
      method: 'GET',
      path: `/v1/message-links/${id}`,
      tenant: 'default',
      artifactId: id,
      version: 'ab'.repeat(32),
      fileName: 'x',
    };
    const forged = signLink(claims, { keys: LINKS.keys, now: api.world.clock.now() });
    assert.equal((await api.get(forged)).body.code, 'LINK_INVALID');
  });

  test('[S4] needs no credential, and says nothing about anything else', async () => {
    const { api, holder } = await openLocked();
    after(() => api.close());
    const own = (await holder({})).api;
    const other = (await holder({ tenant: 'other' })).api;
    const job = await asking(own);
    assert.equal((await api.get(job.url)).status, 401);
    assert.equal((await api.post(`${job.url}/messages/links`, { name: 'approve' })).status, 401);
    const foreign = await other.post(`${job.url}/messages/links`, { name: 'approve' });
    assert.equal(foreign.status, 404);
    assert.equal((await open(api, job.link)).status, 200);
    assert.equal((await fill(api, job.link, FILLED)).status, 200);
    assert.deepEqual(await messages(own, job), SENT);
  });
});

describe('making a link', () => {
  test('needs the public address, and says which setting that is', async () => {
    const links = { publicUrl: null, keys: [newLinkKey()] };
    const api = await openApi({ world: { links } });
    after(() => api.close());
    const { url, held } = await api.claimed();
    for (const [path, body] of [
      ['messages/links', { name: 'approve' }],
      ['links', { ...held, name: 'approve' }],
    ] as const) {
      const refused = await api.post(`${url}/${path}`, body);
      assert.deepEqual([refused.status, refused.body.code], [501, 'NOT_CONFIGURED']);
      assert.match(refused.body.detail, /none is set: set PAWL_PUBLIC_URL/);
    }
  });

  test('is refused to a worker that has lost the job', async () => {
    const api = await opened();
    const { url, held } = await api.claimed();
    assert.equal((await api.post(`${url}/links`, { ...held, name: 'approve' })).status, 200);
    const lost = await api.post(`${url}/links`, { ...held, epoch: 9, name: 'approve' });
    assert.deepEqual([lost.status, lost.body.code], [409, 'LEASE_LOST']);
  });

  test('refuses a value that is too long for an address', async () => {
    const api = await opened();
    const { url } = await api.claimed();
    const body = { name: 'approve', value: 'x'.repeat(1_100) };
    const refused = await api.post(`${url}/messages/links`, body);
    assert.deepEqual([refused.status, refused.body.errors[0].pointer], [400, '/value']);
  });
});
