// What a client and a worker with a codec see, and what they refuse to see.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { aesCodec } from '../../src/codec/aes-codec.ts';
import { newPayloadKey } from '../../src/codec/key-ring.ts';
import type { CodecError } from '../../src/codec/payload-codec.ts';
import { decodeDeadLetter, decodeEvent, decodeJob } from '../../src/codec/wrap/read.ts';
import { encodedSource } from '../../src/codec/wrap/source.ts';
import type { JobSource } from '../../src/engine/source.ts';
import { payloadHash } from '../../src/core/canonical-json.ts';
import type { Job } from '../../src/core/job.ts';
import type { Claim } from '../../src/engine/claim.ts';
import { textOf } from '../support/artifact/artifact-world.ts';
import { type BlindWorld, openBlind, TENANT } from '../support/blind/blind-world.ts';
import { CANARIES } from '../support/blind/canaries.ts';

const [old, young] = [newPayloadKey('k1'), newPayloadKey('k2')];
const codec = aesCodec({ keys: [old] });

function stored({ engine }: BlindWorld, { id }: Job): Promise<Job> {
  return engine.job({ tenant: TENANT, id });
}

describe('with the key', () => {
  test('[D16] a worker gets back the input, the checkpoint and the stages', async (context) => {
    const { pair } = await openBlind(context, codec);
    await pair.enqueue({ type: 'secret-export', input: { page: 1 } });
    const first = await pair.claimOne('secret-export');
    assert.equal(first.job.input, '{"page":1}');
    const { tenant, id, owner, epoch } = first.job;
    const held = { ref: { tenant, id }, owner: owner!, epoch };
    const stageResult = { name: 'plan', result: '[1,2]' };
    await pair.source.renew([{ ...held, checkpoint: '7', message: 'half', stageResult }]);
    await pair.settle(first, { kind: 'release' });
    const again = await pair.claimOne('secret-export');
    assert.deepEqual([again.job.checkpoint, again.job.message], ['7', 'half']);
    assert.deepEqual(
      again.stages.map(({ name, result }) => [name, result]),
      [['plan', '[1,2]']],
    );
  });

  test('[D16] a reader gets back the job, its history and its artifacts', async (context) => {
    const world = await openBlind(context, codec);
    const { pair, engine } = world;
    const { done, dead } = await pair.runEverything();
    const job = decodeJob(codec, await stored(world, done));
    assert.equal(job.result, JSON.stringify({ text: CANARIES.result }));
    assert.equal(job.message, CANARIES['progress-text']);
    const query = { tenant: TENANT, id: done.id, after: null, limit: 100, notes: true };
    const { events } = await engine.events(query);
    const history = JSON.stringify(events.map((event) => decodeEvent(codec, event)));
    for (const field of ['progress-text', 'log-line', 'log-payload', 'tokens'] as const) {
      assert.ok(history.includes(CANARIES[field]), field);
    }
    const [artifact] = await pair.access.list(done);
    assert.equal(artifact!.name, CANARIES['artifact-name']);
    assert.equal(await textOf(await pair.access.open(artifact!)), CANARIES['artifact-content']);
    const [listed] = await engine.deadLetters({ tenant: TENANT, limit: 1 });
    const [letter] = await engine.deadLetters({ tenant: TENANT, id: listed!.id, limit: 1 });
    const { input, lastError } = decodeDeadLetter(codec, letter!);
    assert.equal(input, JSON.stringify({ text: CANARIES.input }));
    assert.deepEqual(lastError.details, { text: CANARIES['error-details'] });
    assert.equal(lastError.message, CANARIES['error-message']);
    assert.equal(lastError.stack, CANARIES['error-stack']);
    assert.deepEqual(lastError.causes, [
      {
        class: 'Error',
        message: CANARIES['cause-message'],
        stack: CANARIES['cause-stack'],
        details: { text: CANARIES['cause-details'] },
      },
    ]);
    assert.deepEqual(decodeJob(codec, await stored(world, dead)).error, lastError);
  });

  test('[D16, R15] dead letters are replayed, also twice, without a key', async (context) => {
    const { pair, engine } = await openBlind(context, codec);
    await pair.enqueue({ type: 'secret-index', input: { page: 1 } });
    for (let round = 0; round < 3; round++) {
      const claim = await pair.claimOne('secret-index');
      assert.equal(claim.job.input, '{"page":1}', `round ${round}`);
      const error = { class: 'ValidationError', message: 'no' };
      await pair.settle(claim, { kind: 'fail', error, deadLetter: 'parse_error' });
      const letters = await engine.deadLetters({ tenant: TENANT, limit: 9, isReplayed: false });
      const caller = { tenant: TENANT, principal: null };
      await engine.replay({ deadLetterId: letters[0]!.id, caller });
    }
  });

  test('[D16, T9] idempotency works over a plaintext that stays hidden', async (context) => {
    const { pair } = await openBlind(context, codec);
    const request = { type: 'secret-export', input: { page: 1 } };
    const first = await pair.enqueue({ ...request, idempotencyKey: 'k' });
    const again = await pair.enqueue({ ...request, idempotencyKey: 'k' });
    assert.equal(again.id, first.id);
    const other = pair.enqueue({ type: 'secret-export', input: { page: 2 }, idempotencyKey: 'k' });
    await assert.rejects(other, { code: 'IDEMPOTENCY_CONFLICT' });
    assert.notEqual(codec.hash(TENANT, JSON.stringify(request)), payloadHash(request));
  });

  test('the same input under the same id is the same job, another is refused', async (context) => {
    const { pair } = await openBlind(context, codec);
    const first = await pair.enqueue({ type: 'secret-export', input: { page: 1 } });
    const again = await pair.enqueue({ type: 'secret-export', input: { page: 1 }, id: first.id });
    assert.equal(again.id, first.id);
    const other = pair.enqueue({ type: 'secret-export', input: { page: 2 }, id: first.id });
    await assert.rejects(other, { code: 'ALREADY_EXISTS' });
  });

  test('an artifact put again takes the place of the one of its name', async (context) => {
    const { pair, onDisk } = await openBlind(context, codec);
    await pair.enqueue({ type: 'secret-export' });
    const { tenant, id, owner, epoch } = (await pair.claimOne('secret-export')).job;
    const held = { ref: { tenant, id }, owner: owner!, epoch };
    for (const text of ['one', 'two']) {
      const content = (async function* () {
        yield Buffer.from(text);
      })();
      await pair.access.put(held, { name: 'page', contentType: 'text/plain', content });
    }
    assert.equal(onDisk().length, 1);
    const [artifact] = await pair.access.list(held.ref, held);
    assert.equal(await textOf(await pair.access.open(artifact!)), 'two');
  });

  test('[S16] keys rotate while jobs are under way', async (context) => {
    const { pair, pairWith } = await openBlind(context, codec);
    await pair.enqueue({ type: 'secret-export', input: 'before' });
    const rotated = pairWith(aesCodec({ keys: [young, old] }));
    const claim = await rotated.claimOne('secret-export');
    assert.equal(claim.job.input, '"before"');
    await rotated.settle(claim, { kind: 'succeed', result: '"after"' });
    await rotated.enqueue({ type: 'secret-export', input: 'new' });
    const next = await rotated.claimOne('secret-export');
    assert.equal(next.job.input, '"new"');
  });
});

/** A platform that gives out what it should not. */
function lying(source: JobSource, lie: (claims: readonly Claim[]) => Claim[]): JobSource {
  return {
    claim: async (options) => lie(await source.claim(options)),
    start: (holdings) => source.start(holdings),
    renew: (beats) => source.renew(beats),
    settle: (settlements) => source.settle(settlements),
  };
}

function withJob(claim: Claim | undefined, more: Partial<Job>): Claim {
  return { ...claim!, job: { ...claim!.job, ...more } };
}

describe('without it, or with what belongs elsewhere', () => {
  const lies: Record<string, (claims: readonly Claim[]) => Claim[]> = {
    'the input of another job': ([one, two]) => [withJob(one, { input: two!.job.input }), two!],
    'an input in place of a checkpoint': ([one, two]) => [
      withJob(one, { checkpoint: one!.job.input }),
      two!,
    ],
    'a stage that was another’s': ([one, two]) => {
      const stage = { name: 'plan', result: one!.job.input, at: 0 };
      return [{ ...one!, stages: [stage] }, two!];
    },
  };
  for (const [what, lie] of Object.entries(lies)) {
    test(`[D16, S16] ${what} is refused, and no other job suffers`, async (context) => {
      const world = await openBlind(context, codec);
      const { pair, engine } = world;
      await pair.enqueue({ type: 'secret-export', input: 'one' });
      await pair.enqueue({ type: 'secret-export', input: 'two' });
      const unread: [string, CodecError][] = [];
      const source = encodedSource(lying(engine, lie), codec, {
        onUnreadable: (job, error) => unread.push([job.id, error]),
      });
      const claims = await source.claim({ owner: 'w1', types: ['secret-export'], max: 2 });
      assert.deepEqual(
        claims.map(({ job }) => job.input),
        ['"two"'],
      );
      const [[id, error]] = unread as [[string, CodecError]];
      assert.equal(error.code, 'WRONG_PLACE');
      const job = await engine.job({ tenant: TENANT, id });
      assert.deepEqual(
        [job.phase, job.error!.class, job.error!.code],
        ['failed', 'configuration_error', 'WRONG_PLACE'],
      );
    });
  }

  test('[S16] the ciphertext of another tenant is refused', async (context) => {
    const { pair, pairWith, engine } = await openBlind(context, codec);
    const job = await pair.enqueue({ type: 'secret-export', input: 'mine' });
    const { input } = await engine.job({ tenant: TENANT, id: job.id });
    const theirs = { id: job.id, type: 'secret-export', input: JSON.parse(input) as unknown };
    const caller = { tenant: 'other', principal: null };
    await engine.enqueue([theirs], { caller });
    const claims = await pairWith(codec, 'other').source.claim({
      owner: 'w1',
      types: ['secret-export'],
      max: 9,
      tenants: ['other'],
    });
    assert.deepEqual(claims, []);
    const stolen = await engine.job({ tenant: 'other', id: job.id });
    assert.equal(stolen.error!.code, 'WRONG_PLACE');
  });

  for (const type of ['secret-export', 'secret-index']) {
    test(`[S16] a lost key fails a ${type} job with a typed error`, async (context) => {
      const { pair, pairWith, engine, logged } = await openBlind(context, codec);
      const { id } = await pair.enqueue({ type, input: CANARIES.input });
      const stranger = pairWith(aesCodec({ keys: [young] }));
      const claims = await stranger.source.claim({ owner: 'w1', types: [type], max: 9 });
      assert.deepEqual(claims, []);
      const { error, phase } = await engine.job({ tenant: TENANT, id });
      assert.ok(phase === 'failed' || phase === 'dead');
      assert.deepEqual([error!.class, error!.code], ['configuration_error', 'UNKNOWN_KEY']);
      assert.match(error!.message, /no key "k1" here/);
      assert.equal(`${error!.message}${logged()}`.includes(CANARIES.input), false);
    });
  }

  test('[S16] a plain input is not taken for an encoded one', async (context) => {
    const { pair, engine } = await openBlind(context, codec);
    const caller = { tenant: TENANT, principal: null };
    await engine.enqueue([{ type: 'secret-export', input: 'forged' }], { caller });
    const claims = await pair.source.claim({ owner: 'w1', types: ['secret-export'], max: 1 });
    assert.deepEqual(claims, []);
  });
});
