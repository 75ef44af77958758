// Texts that no database can hold: replaced visibly where people read them, refused where something
// is found by them or made of them; alike on every store.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { PawlError } from 'pawl/internal/core/errors';
import { storable } from 'pawl/internal/core/text';
import { typeDefinitionOf } from 'pawl/internal/handler/define-job';
import { openWorker } from 'pawl/internal/worker/open-worker';
import { ODD, UNSTORABLE } from '../support/hostile/texts.ts';
import { jobThat, ManualTimers } from '../support/workshop.ts';
import { openWorld, TENANT, type World } from '../support/world.ts';
import { forEachStore } from '../support/world-stores.ts';

const TYPES = { mail: { lifecycle: 'task' }, index: { lifecycle: 'distributed' } };
const TEXTS = Object.entries({ ...UNSTORABLE, ...ODD }).filter(([, text]) => text !== '');

/** Refused with a typed error, and nothing was stored. */
async function refused(what: string, attempt: () => Promise<unknown>): Promise<void> {
  await assert.rejects(attempt, (error: unknown) => {
    assert.ok(error instanceof PawlError, `${what}: ${String(error)}`);
    assert.equal(error.code, 'VALIDATION_ERROR', what);
    return true;
  });
}

async function aboutOwners(world: World): Promise<void> {
  const job = await world.enqueue('mail');
  const claim = await world.claimOne('w1', 'mail');
  for (const [name, text] of TEXTS) {
    await world.renew(claim, {
      message: text,
      notes: [
        { type: 'job_log', message: text, payload: null },
        { type: 'job_tokens', message: null, payload: { text } },
      ],
    });
    const { message } = await world.job(job);
    assert.equal(message, storable(text), name);
    const events = (await world.events(job, { notes: true })).slice(-2);
    assert.equal(events[0]!.message, storable(text), name);
    assert.deepEqual(events[1]!.payload, { text: storable(text) }, name);
  }
  await world.complete(claim);
}

async function aboutErrors(world: World): Promise<void> {
  for (const [name, text] of TEXTS) {
    await world.enqueue('mail');
    const claim = await world.claimOne('w1', 'mail');
    const failed = await world.fail(claim, {
      class: `C${text}`,
      message: text,
      code: text,
      stage: text,
      stack: `at ${text}`,
      details: { [`k${text}`]: text },
      causes: [{ class: 'Error', message: text }],
      retryable: false,
    });
    const { message, stack, causes } = failed.error!;
    assert.deepEqual(
      [message, stack, causes![0]!.message],
      [storable(text), `at ${storable(text)}`, storable(text)],
      name,
    );
    const letter = await world.enqueue('index');
    const ref = { tenant: TENANT, id: letter.id };
    const dead = await world.engine.deadLetter({
      ref,
      actor: 'a',
      reason: 'timeout',
      message: text,
    });
    assert.equal(dead.error!.message, storable(text), name);
    const waiting = await world.enqueue('index');
    const wish = { ref: { tenant: TENANT, id: waiting.id }, actor: 'a', mode: 'soft' } as const;
    const [cancelled] = await world.engine.cancel([{ ...wish, reason: text }]);
    assert.equal(cancelled!.kind, 'done', name);
    assert.equal((await world.events(waiting)).at(-1)!.cause, storable(text), name);
  }
}

async function aboutKeys(world: World): Promise<void> {
  for (const [name, text] of Object.entries(UNSTORABLE)) {
    for (const key of ['documentId', 'correlationId', 'idempotencyKey', 'payloadHash', 'traceId']) {
      await refused(`${key}: ${name}`, () => world.enqueue('mail', 1, { [key]: text }));
    }
    const unique = { key: text, mode: 'replace' } as const;
    await refused(`unique: ${name}`, () => world.enqueue('mail', 1, { unique }));
    await refused(`type: ${name}`, () => world.enqueue(text));
    await refused(`queue: ${name}`, () => world.enqueue('mail', 1, { queue: text }));
    const types = { lifecycle: 'task', fatal: [text] };
    await refused(`fatal: ${name}`, () => world.putType('other', types));
  }
}

async function aboutPayloads(world: World): Promise<void> {
  await world.enqueue('mail');
  const claim = await world.claimOne('w1', 'mail');
  for (const [name, text] of Object.entries(UNSTORABLE)) {
    await refused(`input: ${name}`, () => world.enqueue('mail', { deep: [text] }));
    await refused(`a member of the input: ${name}`, () => world.enqueue('mail', { [text]: 1 }));
    await refused(`metadata: ${name}`, () => world.enqueue('mail', 1, { metadata: { a: text } }));
    const json = JSON.stringify([text]);
    await refused(`checkpoint: ${name}`, () => world.renew(claim, { checkpoint: json }));
    const stageResult = { name: 'a', result: json };
    await refused(`a stage's result: ${name}`, () => world.renew(claim, { stageResult }));
    await refused(`stage: ${name}`, () => world.renew(claim, { stage: text }));
    const named = { name: `once:${text}`, result: '1' };
    await refused(`a kept name: ${name}`, () => world.renew(claim, { stageResult: named }));
    await refused(`result: ${name}`, () => world.complete(claim, { text }));
  }
  const odd = Object.values(ODD);
  await world.renew(claim, { checkpoint: JSON.stringify(odd) });
  const done = await world.complete(claim, odd);
  assert.deepEqual(JSON.parse(done.result!), odd);
}

/** One bad text must not keep the renewals of its attempt failing until the lease is lost. */
async function aboutHandlers(world: World): Promise<void> {
  const timers = new ManualTimers(world.clock);
  const warnings: string[] = [];
  const job = jobThat(async ({ log, tokens, progress, checkpoint, once, stage }) => {
    for (const text of Object.values(UNSTORABLE)) {
      log(text);
      tokens(text);
      progress(0.5, text);
      const refusals = [checkpoint({ text }), once(text, () => 1), stage('keep', () => text)].map(
        (kept) =>
          kept.then(
            () => 'kept',
            (error: Error & { code?: string }) => error.code,
          ),
      );
      assert.deepEqual(await Promise.all(refusals), Array(3).fill('VALIDATION_ERROR'));
    }
    await checkpoint('and on');
    return 'done';
  });
  await world.putType('job', typeDefinitionOf(job));
  const { id } = await world.enqueue('job');
  const log = { warn: (message: string): void => void warnings.push(message) };
  const worker = openWorker({ source: world.engine, jobs: [job], clock: world.clock, timers, log });
  await worker.poll();
  await worker.idle();
  const { state, error, checkpoint, message } = await world.job(id);
  assert.deepEqual([state, error, checkpoint], ['succeeded', null, '"and on"']);
  assert.equal(message, storable(Object.values(UNSTORABLE).at(-1)!));
  assert.deepEqual(warnings, []);
}

await forEachStore(({ label, open }) => {
  describe(`texts that no database can hold, ${label}`, () => {
    let world: World;
    before(async () => {
      world = await openWorld({ store: open, types: TYPES });
    });
    after(() => world.close());

    test('are replaced in messages, log lines and streamed text', () => aboutOwners(world));
    test('are replaced in errors, reasons and dead letters', () => aboutErrors(world));
    test('are refused in keys and names', () => aboutKeys(world));
    test('are refused in payloads, and all others come back as they were', () =>
      aboutPayloads(world));
    test('from a handler cost it nothing but the one write', () => aboutHandlers(world));
  });
});
