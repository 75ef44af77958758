import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Provider } from './provider.ts';
import type { ProviderAnswer } from './provider-answer.ts';
import {
  deriveStatus,
  type Derivation,
  type DerivationContext,
  STRATEGIES,
} from './status-derivation.ts';

const provider = {
  name: 'near',
  url: new URL('http://near.example/api/'),
  redirectOrigins: [],
} as unknown as Provider;

function answerOf(status: number, body: unknown, headers: Record<string, string> = {}) {
  const text = body === undefined ? '' : JSON.stringify(body);
  const answer: ProviderAnswer = {
    status,
    headers: new Headers(headers),
    mediaType: body === undefined ? '' : 'application/json',
    body: new TextEncoder().encode(text),
    long: null,
    bodyFault: null,
  };
  return answer;
}

/** Derives, with what is found behind a Location, and tells what was remembered before looking. */
async function derive(
  answer: ProviderAnswer,
  behind: ProviderAnswer | Error = new Error('nobody there'),
): Promise<Derivation & { readonly remembered: readonly string[] }> {
  const remembered: string[] = [];
  const context: DerivationContext = {
    provider,
    answer,
    isPageAsked: false,
    askedUrl: 'http://near.example/api/processes/echo/execution',
    remember: async (urls) => void remembered.push(...urls),
    follow: () => (behind instanceof Error ? Promise.reject(behind) : Promise.resolve(behind)),
  };
  return { ...(await deriveStatus(STRATEGIES, context)), remembered };
}

describe('what an answer to an execution means', () => {
  test('[O5] the strategies are asked in the order of the document', () => {
    const names = STRATEGIES.map(({ name }) => name);
    assert.deepEqual(names, ['direct', 'immediate', 'location', 'fallback']);
  });

  test('[O6] a status in the body goes before the Location, which is kept', async () => {
    const body = { jobID: '7', type: 'process', status: 'running' };
    const headers = { location: 'http://near.example/api/jobs/7' };
    const { status, statusUrls } = await derive(answerOf(201, body, headers));
    assert.deepEqual([status.status, status.jobID], ['running', '7']);
    assert.equal(statusUrls[0], 'http://near.example/api/jobs/7');
  });

  test('[O7] outputs without a status are a success that holds them', async () => {
    const answer = answerOf(200, { area: 12 });
    const { status, results } = await derive(answer);
    assert.equal(status.status, 'successful');
    assert.equal(results, answer);
  });

  test('[O8] a Location alone is remembered, then followed to the status', async () => {
    const found = answerOf(200, { jobID: '7', type: 'process', status: 'running' });
    const begun = answerOf(201, undefined, { location: '/api/jobs/7' });
    const { status, remembered } = await derive(begun, found);
    assert.equal(status.status, 'running');
    assert.ok(remembered.includes('http://near.example/api/jobs/7'));
  });

  test('[O8] an error behind the Location is a failure that says so', async () => {
    const begun = answerOf(201, undefined, { location: '/api/jobs/7' });
    const { status, fault } = await derive(begun);
    assert.equal(status.status, 'failed');
    assert.match(fault ?? '', /not where the provider said: nobody there/);
  });

  test('[O9] an answer of no known kind is a failure that says what came', async () => {
    const { status, fault } = await derive(answerOf(201, undefined));
    assert.equal(status.status, 'failed');
    assert.match(fault ?? '', /near answered no status and no result: .*201/);
  });
});
