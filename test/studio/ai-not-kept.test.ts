// Answers that are not to be kept: told to who listens, and found nowhere afterwards.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { readConfiguration } from '../../src/app/configuration.ts';
import { startPlatform } from '../../src/app/platform.ts';
import { ApiClient, type StreamItem } from '../../src/client/client.ts';
import type { JobEventJson } from '../../src/http/schema/job.ts';
import { chunkOf, openModelServer, streams } from './model-server.ts';

/** Words that stand nowhere else, each of them enough to give the answer away. */
const WORDS = ['ZANZIBAR-CANARY', 'quicksilver-canary', 'obsidian-canary'];

interface Fixture {
  readonly client: ApiClient;
  readonly url: string;
  readonly server: Awaited<ReturnType<typeof openModelServer>>;
  /** All that was written: files of the database and its log, artifacts, and lines of the log. */
  written(): string;
}

async function openFixture(
  context: TestContext,
  env: Record<string, string> = {},
): Promise<Fixture> {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-not-kept-'));
  const server = await openModelServer(context);
  const lines: unknown[] = [];
  const told = (message: unknown, facts: unknown): void => void lines.push(message, facts);
  const platform = await startPlatform(
    readConfiguration({
      PORT: '0',
      PAWL_DATA: join(folder, 'data'),
      OPENAI_BASE_URL: server.baseUrl,
      OPENAI_API_KEY: 'sk-test',
      PAWL_AI_MODEL: 'test-model',
      ...env,
    }),
    { warn: told, request: told } as never,
  );
  context.after(async () => {
    await platform.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const written = (): string => {
    const files = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => existsSync(path));
    assert.ok(
      files.some((path) => path.endsWith('-wal')),
      'the log of the database is among them',
    );
    return [...files.map((path) => readFileSync(path, 'latin1')), JSON.stringify(lines)].join('\n');
  };
  return { client: new ApiClient({ url: platform.url }), url: platform.url, server, written };
}

function tokensIn(items: readonly StreamItem[]): JobEventJson[] {
  return items.flatMap((item) =>
    item.kind === 'event' && item.event.type === 'job_tokens' ? [item.event] : [],
  );
}

async function all(stream: AsyncGenerator<StreamItem>): Promise<StreamItem[]> {
  const items: StreamItem[] = [];
  for await (const item of stream) items.push(item);
  return items;
}

async function ended(client: ApiClient, id: string): Promise<string> {
  return (await client.waitForEnd(id)).state;
}

function assertNowhere(where: string, text: string): void {
  for (const word of WORDS) assert.equal(text.includes(word), false, `${word} is in ${where}`);
}

const ASKED = { type: 'ai', input: { prompt: 'What is it?', persist: false } } as const;

for (const [what, job, env] of [
  ['with `persist: false`', ASKED, {}],
  [
    'where the platform keeps none',
    { type: 'ai', input: { prompt: 'What is it?', persist: true } },
    { PAWL_AI_PERSIST: 'off' },
  ],
] as const) {
  describe(`an answer ${what}`, () => {
    test('[T25] is told to who listens, and is nowhere afterwards', async (context) => {
      const fixture = await openFixture(context, env);
      const { client } = fixture;
      const held = Promise.withResolvers<void>();
      const answer = streams(...WORDS.map((word) => `${word} `));
      fixture.server.reply((response) => void held.promise.then(() => answer(response)));
      const { id } = await client.enqueue(job);
      const live = client.events(id);
      const first = await live.next();
      assert.equal(first.value?.kind, 'snapshot');
      held.resolve();
      const heard = tokensIn(await all(live));
      const text = heard.map(({ metadata }) => metadata['text']).join('');
      assert.equal(text.trim(), WORDS.join(' '));
      assert.ok(heard.every(({ metadata }) => metadata['persisted'] === false));
      assert.equal((await client.job(id)).state, 'succeeded');
      const result = (await client.result(id)) as Record<string, unknown>;
      assert.deepEqual([result['response'], result['persisted']], [null, false]);
      assertNowhere('the files', fixture.written());
      const answers = [
        await client.job(id),
        result,
        await all(client.events(id, { cursor: '0.0' })),
        ...(await Promise.all(
          ['events', 'why', 'artifacts'].map(async (part) =>
            (await fetch(`${fixture.url}/v1/jobs/${id}/${part}`)).text(),
          ),
        )),
      ];
      assertNowhere('what the API answers', JSON.stringify(answers));
    });

    test('[T25] is a gap for who comes back, and says how long it is', async (context) => {
      const fixture = await openFixture(context, env);
      const { client } = fixture;
      fixture.server.reply(streams(...WORDS.map((word) => `${word} `)));
      const { id } = await client.enqueue(job);
      await ended(client, id);
      const gaps = tokensIn(await all(client.events(id, { cursor: '0.0' })));
      const characters = gaps.map(({ metadata }) => Number(metadata['characters']));
      assert.equal(
        characters.reduce((sum, one) => sum + one, 0),
        WORDS.join(' ').length + 1,
      );
      for (const { metadata } of gaps) {
        assert.deepEqual(Object.keys(metadata).toSorted(), ['characters', 'gap']);
        assert.equal(metadata['gap'], true);
      }
    });
  });
}

test('[T25] an answer that breaks off half way is nowhere either', async (context) => {
  const fixture = await openFixture(context);
  const half = (word: string) => (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    response.end(`data: ${JSON.stringify(chunkOf(word))}\n\n`);
  };
  fixture.server.reply(half(WORDS[0]!), half(WORDS[1]!));
  const { id } = await fixture.client.enqueue(ASKED);
  assert.equal(await ended(fixture.client, id), 'failed');
  assertNowhere('the files', fixture.written());
});

test('[T25] an answer that may be kept is kept, with its tokens', async (context) => {
  const fixture = await openFixture(context);
  fixture.server.reply(streams(...WORDS));
  const { id } = await fixture.client.enqueue({ type: 'ai', input: { prompt: 'What is it?' } });
  await ended(fixture.client, id);
  const tokens = tokensIn(await all(fixture.client.events(id, { cursor: '0.0' })));
  assert.equal(tokens.map(({ metadata }) => metadata['text']).join(''), WORDS.join(''));
});
