// Numbers that a double cannot hold: refused at every door with their pointer, never changed; alike
// on every store.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { PawlError } from 'pawl/internal/core/errors';
import { readJson } from 'pawl/internal/cli/commands/enqueue';
import { readCrontab } from '../../packages/move/src/crontab.ts';
import { EXACT, INEXACT } from '../support/hostile/numbers.ts';
import { jobThat, openWorkshop, runThrough } from '../support/workshop.ts';
import { forEachStore } from '../support/world-stores.ts';
import { type Answer, type Api, openApi } from './http-fixture.ts';

/** Says of an answer that it refuses a number at this place. */
function assertRefused({ status, body }: Answer, pointer: string, what: string): void {
  assert.deepEqual([status, body.code], [400, 'VALIDATION_ERROR'], what);
  assert.equal(body.errors[0].pointer, pointer, what);
  assert.match(body.errors[0].message, /send it as a string/, what);
}

/** A body with a number where `$` stands, as its sender writes it. */
function bodyWith(body: object, number: string): string {
  return JSON.stringify(body).replaceAll('"$"', number);
}

/** The doors of those who ask for jobs. */
const CALLERS = [
  ['POST', '/v1/jobs', { type: 'export', input: { a: [0, '$'] } }, '/input/a/1'],
  ['POST', '/v1/jobs', { type: 'export', input: '$' }, '/input'],
  ['POST', '/v1/jobs', { type: 'export', metadata: { n: '$' } }, '/metadata/n'],
  ['POST', '/v1/jobs/batch', { jobs: [{ type: 'export', input: ['$'] }] }, '/jobs/0/input/0'],
  [
    'PUT',
    '/v1/schedules/nightly',
    { cron: '0 3 * * *', job: { type: 'export', input: { n: '$' } } },
    '/job/input/n',
  ],
  [
    'PUT',
    '/v1/types/other',
    { lifecycle: 'task', expose: { inputs: { n: '$' } } },
    '/expose/inputs/n',
  ],
] as const;

async function aboutCallers(api: Api): Promise<void> {
  for (const number of INEXACT) {
    for (const [method, url, body, pointer] of CALLERS) {
      const answer = await api.call(method, url, { body: bodyWith(body, number) });
      assertRefused(answer, pointer, `${method} ${url} ${number}`);
    }
  }
  assert.equal((await api.get('/v1/jobs')).body.items.length, 0);
}

/** The doors of workers, by their verb. */
const WORKERS = [
  ['heartbeat', { checkpoint: { n: '$' } }, '/checkpoint/n'],
  ['stages/draw', { result: ['$'] }, '/result/0'],
  ['complete', { result: { n: ['$'] } }, '/result/n/0'],
  ['fail', { error: { class: 'E', message: 'm', details: { n: '$' } } }, '/error/details/n'],
  ['release', { checkpoint: '$' }, '/checkpoint'],
] as const;

async function aboutWorkers(api: Api): Promise<void> {
  const { url, held } = await api.claimed();
  for (const number of INEXACT) {
    for (const [verb, body, pointer] of WORKERS) {
      const answer = await api.call('POST', `${url}/${verb}`, {
        body: bodyWith({ ...held, ...body }, number),
      });
      assertRefused(answer, pointer, `${verb} ${number}`);
    }
  }
  const { body } = await api.get(url);
  assert.deepEqual([body.phase, body.attempts], ['executing', 1]);
  assert.equal((await api.post(`${url}/complete`, { ...held, result: 1 })).status, 200);
}

/** Those who speak to the engine in JSON text have passed no server. */
async function aboutTexts({ world }: Api): Promise<void> {
  await world.enqueue('index');
  const claim = await world.claimOne('w1', 'index');
  const refusedAt = async (pointer: string, attempt: () => Promise<unknown>): Promise<void> => {
    await assert.rejects(attempt, (error: unknown) => {
      assert.ok(error instanceof PawlError);
      assert.deepEqual([error.code, error.faults[0]?.pointer], ['VALIDATION_ERROR', pointer]);
      return true;
    });
  };
  for (const number of INEXACT) {
    const json = `{"n":[${number}]}`;
    await refusedAt('/checkpoint/n/0', () => world.renew(claim, { checkpoint: json }));
    const stageResult = { name: 'a', result: json };
    await refusedAt('/result/n/0', () => world.renew(claim, { stageResult }));
  }
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY]) {
    await refusedAt('/input/a/1', () => world.enqueue('index', { a: [null, value] }));
    await refusedAt('/metadata/n', () => world.enqueue('index', 1, { metadata: { n: value } }));
  }
  await refusedAt('/input', () => world.enqueue('index', { big: 1n }));
}

async function aboutExact(api: Api): Promise<void> {
  const list = `[${EXACT.join(',')}]`;
  const made = await api.call('POST', '/v1/jobs', { body: `{"type":"export","input":${list}}` });
  assert.equal(made.status, 202, JSON.stringify(made.body));
  const input = await api.get(`/v1/jobs/${made.body.id}/input`);
  // JSON writes the negative zero as zero, and they are one number.
  const sent = (JSON.parse(list) as number[]).map((number) => number + 0);
  assert.deepEqual(input.body, sent);
}

await forEachStore(({ label, open }) => {
  describe(`numbers that a double cannot hold, ${label}`, () => {
    let api: Api;
    before(async () => {
      api = await openApi({
        world: { store: open, types: { index: { lifecycle: 'distributed' } } },
      });
    });
    after(() => api.close());

    test('are refused in inputs, metadata, schedules and types', () => aboutCallers(api));
    test('are refused in checkpoints, stages, results and errors of workers', () =>
      aboutWorkers(api));
    test('are refused in JSON text that comes without a server', () => aboutTexts(api));
    test('and all others arrive as they were sent', () => aboutExact(api));
  });
});

describe('numbers of handlers', () => {
  for (const [what, run] of [
    ['a result', () => ({ n: Number.NaN })],
    ['a checkpoint', ({ checkpoint }) => checkpoint([Number.POSITIVE_INFINITY])],
    ['a stage', ({ stage }) => stage('draw', () => Number.NaN)],
  ] as readonly [string, Parameters<typeof jobThat>[0]][]) {
    test(`that JSON has no word for fail the attempt: ${what}`, async () => {
      const shop = await openWorkshop([jobThat(run)]);
      const { state, error } = await shop.world.job(await runThrough(shop));
      assert.equal(state, 'failed');
      assert.match(error!.message, /NaN or infinite/);
    });
  }
});

test('a repeat of a key is compared by what was sent', async () => {
  const api = await openApi();
  const send = (input: string): Promise<Answer> =>
    api.call('POST', '/v1/jobs', {
      body: `{"type":"export","input":${input}}`,
      headers: { 'idempotency-key': 'k1' },
    });
  assert.equal((await send('9007199254740992')).status, 202);
  assert.equal((await send('9007199254740992.0')).status, 200);
  assertRefused(await send('9007199254740993'), '/input', 'another number');
  assert.equal((await send('9007199254740994')).status, 409);
  await api.close();
});

test('the command line refuses them before it sends anything', async () => {
  const message = /--input at \/a\/0: 9007199254740993 is not the same/;
  await assert.rejects(() => readJson('{"a":[9007199254740993]}', '--input'), message);
  assert.deepEqual(await readJson('{"a":[1.0]}', '--input'), { a: [1] });
});

test('a crontab that is moved refuses them', () => {
  assert.throws(
    () => readCrontab('0 3 * * * send {"n":1e400}'),
    /line 1 of the crontab: \/input\/n: 1e400/,
  );
});
