// ai jobs without an endpoint: answers made of the document's own sentences.
import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import type { PawlError } from 'pawl/internal/core/errors';
import { SeededRandom } from 'pawl/internal/core/random';
import { checkInput } from 'pawl/internal/handler/schema';
import { EXTRACTIVE_MODEL, extractiveModel } from '../src/ai/extractive.ts';
import { aiJob, type AiResult } from '../src/ai/job.ts';
import { deckOf } from './corpus.ts';
import { type JobFixture, openJobFixture, resultOf } from './job-fixture.ts';

const RATE = { max: 1_000, per: '1s' } as const;
const job = aiJob({
  model: extractiveModel,
  random: new SeededRandom(1),
  spending: null,
  mayPersist: true,
  timeoutMs: 60_000,
  rate: { perUser: RATE, perOrganisation: RATE },
});

const TEXT = `# The harbour

The harbour was built in 1886 by engineer Anna Holm. It has four cranes.

# Traffic

Some 1 200 ships call at the harbour each year. Most ships carry timber.

# Money

The harbour dues were 40 million last year. The dues pay for the cranes.`;

async function ask(fixture: JobFixture, input: object): Promise<AiResult> {
  return resultOf<AiResult>(await fixture.run('ai', { text: TEXT, ...input }));
}

async function openFixture(context: TestContext): Promise<JobFixture> {
  return openJobFixture(context, [job]);
}

describe('an ai job without an endpoint', () => {
  test('[T1, T25, T26] answers from the document, says where from, and is named for what it is', async (context) => {
    const fixture = await openFixture(context);
    const asked = await fixture.run('ai', { text: TEXT, prompt: 'Who built the harbour?' });
    const { response, model, citations, tokenUsage } = resultOf<AiResult>(asked);
    assert.match(response!, /^The harbour was built in 1886 by engineer Anna Holm\. \[paragraph/);
    assert.equal(model, EXTRACTIVE_MODEL);
    assert.match(citations[0]!.place, /^paragraph \d$/);
    assert.equal(tokenUsage?.unit, 'words');
    const tokens = await fixture.notes(asked, 'job_tokens');
    assert.equal(tokens.map(({ payload }) => payload?.['text']).join(''), response);
  });

  test('says that the document has nothing about it, rather than anything', async (context) => {
    const fixture = await openFixture(context);
    const { response, citations } = await ask(fixture, { prompt: 'Penguins?' });
    assert.equal(response, 'The document has nothing about this.');
    assert.deepEqual(citations, []);
  });

  test('summarises, and gives an outline', async (context) => {
    const fixture = await openFixture(context);
    const summary = await ask(fixture, { task: 'summary' });
    assert.ok(summary.citations.length >= 3 && summary.citations.length <= 5);
    for (const { text } of summary.citations) assert.ok(TEXT.includes(text), text);
    const outline = await ask(fixture, { task: 'outline' });
    assert.deepEqual(
      outline.citations.map(({ text }) => text),
      ['The harbour', 'Traffic', 'Money'],
    );
  });

  test('[T1] reads the deck of a convert job, slide by slide', async (context) => {
    const fixture = await openFixture(context);
    const deck = deckOf(4);
    const deckRef = await fixture.upload('deck.json', JSON.stringify(deck), 'application/json');
    const outlined = await fixture.run('ai', { deckRef, task: 'outline' });
    const { citations } = resultOf<AiResult>(outlined);
    assert.match(citations[0]!.place, /^slide \d+$/);
    const far = await fixture.run('ai', { deckRef, task: 'outline', selection: { slides: [999] } });
    assert.equal(far.error?.code, 'AI_SELECTION_EMPTY');
  });

  test('[T6, T30] fails for good without a document, or with one that is not there or no deck', async (context) => {
    const fixture = await openFixture(context);
    const other = await fixture.upload('other.json', '{"a":1}', 'application/json');
    const gone = '019a8f3e-7c00-7d2a-9b1e-4f5a6b7c8d9e';
    const cases: [object, string][] = [
      [{ prompt: 'Hello?' }, 'AI_NEEDS_DOCUMENT'],
      [{ prompt: 'Hello?', deckRef: gone }, 'SOURCE_NOT_FOUND'],
      [{ prompt: 'Hello?', deckRef: other }, 'SOURCE_NO_DECK'],
    ];
    for (const [input, code] of cases) {
      const { state, attempts, error } = await fixture.run('ai', input);
      assert.deepEqual([state, attempts, error?.code], ['failed', 1, code]);
    }
  });

  test('has its input checked before it is accepted', async () => {
    const refused: [object, string][] = [
      [{}, '/input'],
      [{ prompt: 'a', messages: [{ role: 'user', content: 'b' }] }, '/input/messages'],
      [{ prompt: 'a', deckRef: 'x' }, '/input/deckRef'],
      [{ task: 'summary' }, '/input'],
      [{ prompt: 'a', tools: [] }, '/input/tools'],
    ];
    for (const [input, pointer] of refused) {
      await assert.rejects(
        async () => checkInput(job, input),
        (error: PawlError) => {
          assert.deepEqual([error.status, error.faults[0]?.pointer], [400, pointer]);
          return true;
        },
      );
    }
  });
});
