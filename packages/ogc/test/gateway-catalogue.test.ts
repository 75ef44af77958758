// What providers offer, as one list.
import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { systemTimers } from 'pawl/internal/core/timers';
import { Catalogue } from '../src/gateway/catalogue.ts';
import { readConfiguration } from '../src/gateway/configuration.ts';
import type { Provider } from '../src/gateway/provider.ts';
import { createOutgoing } from '@pawl/server/internal/outgoing/outgoing';
import { openSimulator, type ProviderSimulator } from './provider/simulator.ts';

function providersOf(providers: Record<string, unknown>): ReadonlyMap<string, Provider> {
  return readConfiguration(JSON.stringify({ providers }), {}).providers;
}

/** Longer than a provider on this machine takes, however busy it is. */
const PATIENT_MS = 30_000;

describe('the list of processes', () => {
  async function open(
    t: TestContext,
    simulators: Record<string, ProviderSimulator>,
    settings: Record<string, object> = {},
  ): Promise<{
    catalogue: Catalogue;
    providers: ReadonlyMap<string, Provider>;
    clock: { at: number };
  }> {
    const outgoing = createOutgoing({ allow: ['127.0.0.1'] });
    t.after(() => outgoing.close());
    for (const one of Object.values(simulators)) t.after(() => one.close());
    const entries = Object.entries(simulators).map(([name, { url }]) => [
      name,
      { url, ...settings[name] },
    ]);
    const clock = { at: Date.now() };
    const catalogue = new Catalogue({
      http: outgoing,
      clock: { now: () => clock.at },
      timers: systemTimers,
      log: { warn: () => undefined },
      waitMs: PATIENT_MS,
    });
    return { catalogue, providers: providersOf(Object.fromEntries(entries)), clock };
  }

  test('is that of all providers, prefixed, with the chosen ones only', async (t) => {
    const [a, b] = [
      await openSimulator({ processes: ['gs:Buffer', 'vec:Buffer', 'hidden'] }),
      await openSimulator({ processes: ['gs:Buffer', 'other'] }),
    ];
    const { catalogue, providers } = await open(
      t,
      { a, b },
      {
        a: { processes: { exclude: ['hidden'] } },
        b: { processes: { include: ['gs:Buffer'] } },
      },
    );
    const list = await catalogue.list([...providers.values()]);
    assert.deepEqual(
      list.map(({ id }) => id),
      ['a:gs:Buffer', 'a:vec:Buffer', 'b:gs:Buffer'],
    );
    assert.deepEqual(
      list[0]!.links!.map(({ href }) => href),
      [
        '/processes/a%3Ags%3ABuffer',
        '/processes/a%3Ags%3ABuffer/execution',
        '/jobs?processID=a%3Ags%3ABuffer',
      ],
    );
    assert.equal(await catalogue.describe(providers.get('a')!, 'hidden'), null);
    assert.equal((await catalogue.describe(providers.get('a')!, 'gs:Buffer'))?.id, 'a:gs:Buffer');
    assert.equal(await catalogue.describe(providers.get('a')!, 'none'), null);
  });

  test('is asked for once within its time, and shown while it is made new', async (t) => {
    const a = await openSimulator();
    const { catalogue, providers, clock } = await open(t, { a });
    const all = [...providers.values()];
    await Promise.all([catalogue.list(all), catalogue.list(all)]);
    await catalogue.list(all);
    assert.equal(a.count('GET /processes'), 1);
    const describe = () => catalogue.describe(all[0]!, 'echo');
    await Promise.all([describe(), describe()]);
    await describe();
    assert.equal(a.count('GET /processes/echo'), 1);
    a.seen.length = 0;
    clock.at += 61_000;
    a.on('GET /processes', 'hang');
    assert.equal((await catalogue.list(all)).length, 1);
    await a.news.until('it is asked again', () => a.count('GET /processes') === 1);
    a.on('GET /processes/echo', { status: 500 });
    assert.equal((await describe())?.id, 'a:echo', 'what was known is better than an error');
  });

  test('is not slowed by a provider that is down or dawdles', async (t) => {
    const [up, slow, down] = [await openSimulator(), await openSimulator(), await openSimulator()];
    slow.on('GET /processes', 'hang');
    const { catalogue, providers } = await open(t, { up, slow, down }, { slow: { timeout: 0.2 } });
    await down.close();
    const all = [...providers.values()];
    const ids = async (): Promise<string[]> => (await catalogue.list(all)).map(({ id }) => id);
    assert.deepEqual(await ids(), ['up:echo']);
    assert.deepEqual(await ids(), ['up:echo']);
    assert.equal(slow.count('GET /processes'), 1, 'who has just failed is left alone');
  });

  test('is asked for more at once, since some cut it without a link to the rest', async (t) => {
    const a = await openSimulator();
    const all = Array.from({ length: 15 }, (_, n) => ({ id: `p${n}`, version: '1' }));
    a.on('GET /processes', ({ path }) => {
      const limit = Number(new URL(path, 'http://a').searchParams.get('limit') ?? 10);
      return { status: 200, body: { processes: all.slice(0, limit), links: [] } };
    });
    const strict = await openSimulator();
    strict.on('GET /processes', ({ path }) =>
      path.includes('?') ? { status: 400, body: { title: 'unknown parameter' } } : null,
    );
    const { catalogue, providers } = await open(t, { a, strict });
    const ids = (await catalogue.list([...providers.values()])).map(({ id }) => id);
    assert.deepEqual([ids.length, ids.at(-1)], [16, 'strict:echo']);
  });

  test('goes on over pages, keeps unknown members and repairs what is missing', async (t) => {
    const a = await openSimulator();
    a.on('GET /processes', ({ path }) => ({
      status: 200,
      body: path.includes('page=2')
        ? { processes: [{ id: 'two', example: { x: 1 }, title: null }], links: [] }
        : {
            processes: [{ id: 'one', version: '2.1' }, { title: 'nameless' }],
            links: [{ rel: 'next', href: 'http://inside:1/processes?page=2' }],
          },
    }));
    const { catalogue, providers } = await open(t, { a });
    const [one, two, ...more] = await catalogue.list([...providers.values()]);
    assert.deepEqual([one!.id, one!.version, more.length], ['a:one', '2.1', 0]);
    assert.deepEqual(
      [two!.id, two!.version, two!['example'], 'title' in two!],
      ['a:two', '0.0.0', { x: 1 }, false],
    );
  });
});
