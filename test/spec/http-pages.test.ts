// Lists in pages: every item once, in the same order as in one page, however small the pages are.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiClient } from 'pawl/client';
import { openSecurityFixture } from '../security/fixture.ts';

const fixture = await openSecurityFixture({ PAWL_OUTGOING_ALLOW: '127.0.0.9' });
const api = await fixture.holder({});
const COUNT = 7;

for (let n = 0; n < COUNT; n++) {
  await api.put(`/v1/types/page-${n}`, { lifecycle: 'task' });
  await api.put(`/v1/schedules/page-${n}`, {
    rule: { kind: 'interval', everyMs: 60_000 },
    job: { type: 'page-0' },
  });
  await api.call('PATCH', `/v1/queues/page-${n}`, { body: { concurrency: 1 } });
  await api.post('/v1/keys', { name: `page-${n}`, roles: ['viewer'] });
  await api.post('/v1/webhooks', { url: `http://127.0.0.9/${n}` });
  await api.put(`/v1/workers/page-${n}`, {
    host: 'h',
    version: '1',
    types: ['page-0'],
    slots: 1,
  });
  await api.post('/v1/operations', { action: 'cancel', filter: { type: `page-${n}` } });
}
const { json: waiting } = await api.post('/v1/jobs', { type: 'page-0' });
for (let n = 0; n < COUNT; n++) {
  await api.post(`/v1/jobs/${waiting.id}/messages`, { name: `m${n}` });
  await api.post('/v1/jobs', { type: `page-${n}`, queue: `page-${n}` });
}

/** Lists, with the fewest items that they have here. */
const LISTS: Readonly<Record<string, number>> = {
  '/v1/types': COUNT,
  '/v1/schedules': COUNT,
  '/v1/queues': COUNT,
  '/v1/keys': COUNT,
  '/v1/webhooks': COUNT,
  '/v1/workers': COUNT,
  '/v1/operations': COUNT,
  '/v1/jobs': COUNT,
  '/v1/audit': COUNT,
  '/v1/slo': 1,
  '/v1/usage': 1,
  '/v1/lifecycles': 5,
  [`/v1/jobs/${waiting.id}/messages`]: COUNT,
};

interface Operation {
  readonly parameters: readonly { readonly name: string }[];
  readonly responses: Readonly<Record<string, { content?: Record<string, unknown> }>>;
}

async function inPages(path: string, limit: number): Promise<unknown[]> {
  const items: unknown[] = [];
  let next: string | null = `${path}?limit=${limit}`;
  while (next !== null) {
    const { status, json, headers, text } = await api.get(next);
    assert.equal(status, 200, text);
    assert.ok(json.items.length <= limit);
    items.push(...json.items);
    const link = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
    assert.equal(link === undefined, json.nextCursor === null, path);
    next =
      json.nextCursor === null
        ? null
        : `${path}?limit=${limit}&cursor=${encodeURIComponent(json.nextCursor)}`;
  }
  return items;
}

/** Names alone: ages and counts go on in between. */
function namesOf(items: readonly unknown[]): unknown[] {
  return items.map((item) => {
    const { id, name, type, tenant } = item as Record<string, unknown>;
    return id ?? name ?? type ?? tenant;
  });
}

for (const [path, fewest] of Object.entries(LISTS)) {
  test(`${path.replace(waiting.id, '{id}')} is the same in pages of two as in one`, async () => {
    const whole = namesOf(await inPages(path, 500));
    assert.ok(whole.length >= fewest, `${whole.length} items`);
    assert.deepEqual(namesOf(await inPages(path, 2)), whole);
  });
}

test('every list of the document has a limit and a cursor, but for those of one size', async () => {
  const { json } = await api.get('/openapi.json');
  const whole: string[] = [];
  const { paths } = json as { paths: Record<string, { get?: Operation }> };
  for (const [path, { get }] of Object.entries(paths)) {
    if (get === undefined) continue;
    const answer = JSON.stringify(get.responses['200']?.content?.['application/json'] ?? {});
    const name = /schemas\/(\w+)/.exec(answer)?.[1] ?? '';
    if (json.components.schemas[name]?.properties?.nextCursor === undefined) continue;
    const names = get.parameters.map((one) => one.name);
    if (!names.includes('limit') || !names.includes('cursor')) whole.push(path);
  }
  // As long as the providers' file.
  assert.deepEqual(whole, ['/v1/providers']);
});

test('the client reads a list to its end', async () => {
  const token = String(api.headers['authorization']).replace('Bearer ', '');
  const client = new ApiClient({ url: fixture.platform.url, token });
  const types = await client.all<{ type: string }>('/v1/types');
  assert.equal(types.filter(({ type }) => type.startsWith('page-')).length, COUNT);
});
