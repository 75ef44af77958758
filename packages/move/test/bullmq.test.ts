import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { importPeer, installPeers } from '../../../scripts/peers/install.ts';
import { findRedis, type Redis, startRedis } from '../../../scripts/peers/redis.ts';
import { EXIT } from 'pawl/internal/cli/exit-code';
import { factsOf, type KillAt, type MoveFixture, openMoveFixture, originOf } from './fixture.ts';

interface Job {
  readonly id: string;
  readonly data: unknown;
  moveToFailed(error: Error, token: string, fetchNext: boolean): Promise<void>;
}

interface Queue {
  getBackend(): { client: Promise<{ hset(key: string, fields: object): Promise<unknown> }> };
  add(name: string, data: object, options?: object): Promise<Job>;
  getJobCounts(...states: string[]): Promise<Record<string, number>>;
  upsertJobScheduler(id: string, rule: object, template: object): Promise<Job>;
  getJobSchedulers(): Promise<unknown[]>;
  isPaused(): Promise<boolean>;
  pause(): Promise<void>;
  resume(): Promise<void>;
  obliterate(options: { force: boolean }): Promise<void>;
  close(): Promise<void>;
}

interface Worker {
  getNextJob(token: string, options: { block: boolean }): Promise<Job | undefined>;
  close(): Promise<void>;
}

interface Library {
  Queue: new (name: string, options: object) => Queue;
  Worker: new (name: string, processor: null, options: object) => Worker;
}

interface KindFact {
  readonly kind: string;
  readonly moved: number;
  readonly found: number;
  readonly active: number;
  readonly tied: number;
}

const redisPath = await findRedis();
const skip =
  redisPath === null ? 'needs a redis-server: install one, or name REDIS_SERVER_PATH' : false;
const MAP = ['--type-map', 'mail/invoice=print-invoice'];
const HOUR_MS = 3_600_000;

let redis: Redis;
let queue: Queue;
let worker: Worker;
let fixture: MoveFixture;
let project: string;
let from: string[];

async function counts(): Promise<Record<string, number>> {
  const all = await queue.getJobCounts('waiting', 'delayed', 'prioritized', 'active');
  return Object.fromEntries(Object.entries(all).filter(([, count]) => count > 0));
}

function takeThere(): Promise<Job | undefined> {
  return worker.getNextJob('a token', { block: false });
}

describe('jobs of BullMQ', { skip }, () => {
  before(async () => {
    project = await installPeers();
    redis = await startRedis(redisPath!);
    const library = await importPeer<Library>('bullmq');
    const connection = { url: redis.url };
    queue = new library.Queue('mail', { connection });
    worker = new library.Worker('mail', null, { connection });
    fixture = await openMoveFixture();
    from = ['bullmq', '--from', redis.url];
  });
  beforeEach(async () => {
    await queue.obliterate({ force: true });
    await queue.resume();
    await fixture.begin();
  });
  after(async () => {
    await worker.close();
    await queue.close();
    await fixture.close();
    await redis.stop();
  });

  test('are each run once here, with payload, time, priority and history', async () => {
    const before = Date.now();
    const plain = await queue.add('welcome', { to: 'ü "1"' }, { attempts: 5 });
    const lazy = await queue.add('invoice', { order: 2 }, { priority: 40 });
    const late = await queue.add('invoice', { order: 3 }, { delay: HOUR_MS });
    const { code, stdout, stderr } = await fixture.move([...from, ...MAP], project);
    assert.equal(code, EXIT.done, stderr);
    assert.match(stdout, /mail\/welcome +welcome +5 → 3 +1 +0 +1$/m);
    assert.match(stdout, /mail\/invoice +print-invoice +1 → 3 +1 +1 +2$/m);
    const jobs = new Map((await fixture.moved()).map((job) => [originOf(job).id, job]));
    assert.equal(jobs.size, 3);
    const [one, two, three] = [plain, lazy, late].map(({ id }) => jobs.get(id)!);
    assert.deepEqual(await fixture.client.result(one!.id), { to: 'ü "1"' });
    assert.deepEqual(await fixture.client.result(two!.id), { order: 2 });
    assert.deepEqual([one!.priority, two!.priority], [0, -40]);
    assert.equal(three!.phase, 'ready');
    const delayMs = Date.parse(three!.runAt) - HOUR_MS;
    assert.ok(delayMs >= before && delayMs <= Date.now(), three!.runAt);
    assert.deepEqual(await counts(), {});
    assert.equal(await queue.isPaused(), false, 'what comes later is run there as before');
  });

  test('that wait for another try keep the time of it', async () => {
    await queue.add('welcome', {}, { attempts: 3, backoff: { type: 'fixed', delay: HOUR_MS } });
    const before = Date.now();
    await (await takeThere())!.moveToFailed(new Error('not now'), 'a token', false);
    const until = Date.now();
    assert.deepEqual(await counts(), { delayed: 1 });
    await fixture.move([...from, ...MAP], project);
    const [job] = await fixture.moved();
    const failedAt = Date.parse(job!.runAt) - HOUR_MS;
    assert.ok(failedAt >= before && failedAt <= until, job!.runAt);
    assert.deepEqual([originOf(job!).attemptsMade, originOf(job!).attemptsMax], [1, 3]);
  });

  test('with a number that a double cannot hold stay there, and its place is named', async () => {
    const { id } = await queue.add('welcome', { to: 1 });
    await queue.add('welcome', { to: 2 });
    const client = await queue.getBackend().client;
    await client.hset(`bull:mail:${id}`, { data: '{"to":[0,9007199254740993]}' });
    const run = await fixture.move([...from, ...MAP, '--json'], project);
    assert.equal(run.code, EXIT.failed);
    const [refusal] = factsOf<{ id: string; message: string }>(run, 'refusal');
    assert.equal(refusal!.id, id);
    assert.match(refusal!.message, /^\/input\/to\/1: 9007199254740993 .* send it as a string/);
    assert.equal(factsOf<KindFact>(run, 'kind')[0]!.moved, 1);
    assert.deepEqual(await counts(), { waiting: 1 });
  });

  test('that a scheduler makes with such a number are left to it', async () => {
    const rule = { pattern: '0 0 3 * * *', tz: 'UTC' };
    await queue.upsertJobScheduler('exact', rule, { name: 'invoice', data: { n: 1 } });
    const client = await queue.getBackend().client;
    await client.hset('bull:mail:repeat:exact', { data: '{"n":1e400}' });
    const run = await fixture.move([...from, ...MAP, '--schedules'], project);
    assert.match(run.stdout + run.stderr, /\/input\/n: 1e400 is not the same/);
    assert.equal((await queue.getJobSchedulers()).length, 1);
  });

  test('that a worker has, or that a scheduler has made, are reported and left', async () => {
    await queue.add('welcome', { to: 'active' });
    await takeThere();
    const rule = { pattern: '0 0 3 * * *', tz: 'Europe/Berlin' };
    await queue.upsertJobScheduler('nightly', rule, { name: 'invoice', data: { all: true } });
    await queue.add('welcome', { to: 'waiting' });
    const run = await fixture.move([...from, ...MAP, '--json'], project);
    assert.equal(run.code, EXIT.done, run.stderr);
    const kinds = new Map(factsOf<KindFact>(run, 'kind').map((one) => [one.kind, one]));
    const { moved, active } = kinds.get('mail/welcome')!;
    assert.deepEqual([moved, active, kinds.get('mail/invoice')!.tied], [1, 1, 1]);
    assert.deepEqual(await counts(), { active: 1, delayed: 1 });
    const more = await fixture.move([...from, ...MAP, '--schedules'], project);
    assert.equal(more.code, EXIT.done, more.stderr);
    const { rule: here, job } = await fixture.client.schedules.get('mail.nightly');
    const expression = '0 0 3 * * *';
    assert.deepEqual(here, { kind: 'cron', expression, timeZone: 'Europe/Berlin' });
    assert.deepEqual([job.type, job.input], ['print-invoice', { all: true }]);
    assert.deepEqual(await queue.getJobSchedulers(), []);
    assert.deepEqual(await counts(), { active: 1 });
  });

  test('keep the key that they were alone with', async () => {
    const deduplication = { id: 'ada', ttl: HOUR_MS };
    await queue.add('remind', { who: 'Ada' }, { deduplication, delay: HOUR_MS });
    await fixture.move([...from, ...MAP], project);
    const [job] = await fixture.moved();
    const unique = { mode: 'throttle', key: 'ada', windowMs: 1_000 } as const;
    const next = await fixture.client.accept({ type: 'remind', input: {}, unique });
    assert.deepEqual([next.outcome, next.job.id], ['throttled', job!.id]);
  });

  for (const killAt of ['before acceptance', 'before the answer'] as const satisfies KillAt[]) {
    test(`are neither lost nor doubled when the move is killed ${killAt}`, async () => {
      for (const order of [1, 2, 3]) await queue.add('invoice', { order });
      await fixture.moveKilled([...from, ...MAP, '--batch', '2'], killAt, project);
      assert.deepEqual(await counts(), { waiting: 3 }, 'not lost');
      assert.equal((await takeThere())?.id, undefined, 'no worker there begins them');
      const run = await fixture.move([...from, ...MAP, '--json'], project);
      assert.match(run.stderr, /The queue mail was paused before and stays paused/);
      const [kind] = factsOf<KindFact>(run, 'kind');
      const isHere = killAt === 'before the answer';
      assert.deepEqual([kind!.found, kind!.moved], isHere ? [2, 1] : [0, 3]);
      const jobs = await fixture.moved();
      const orders = await Promise.all(jobs.map(({ id }) => fixture.client.result(id)));
      const numbers = new Set(orders.map((one) => (one as { order: number }).order));
      assert.deepEqual([numbers, jobs.length], [new Set([1, 2, 3]), 3]);
      assert.deepEqual(await counts(), {});
    });
  }

  test('of a queue that is paused are moved, and those without a type here stay', async () => {
    await queue.pause();
    await queue.add('welcome', {});
    await queue.add('stranger', {});
    const run = await fixture.move([...from, '--batch', '1', '--json'], project);
    assert.equal(run.code, EXIT.failed);
    assert.match(run.stderr, /no type here for mail\/stranger/);
    assert.equal((await fixture.moved()).length, 1);
    assert.deepEqual(await counts(), { waiting: 1 });
  });

  test('need their library, a Redis that answers, and a queue that it can read', async () => {
    const without = await fixture.move(from);
    assert.equal(without.code, EXIT.usage);
    assert.match(without.stderr, /"bullmq" is not installed in .*npm install bullmq.*MISSING/s);
    const silent = await fixture.move(['bullmq', '--from', 'redis://127.0.0.1:1'], project);
    assert.equal(silent.code, EXIT.failed);
    assert.match(silent.stderr, /redis:\/\/127\.0\.0\.1:1 cannot be used .*SOURCE_UNREACHABLE/);
    await queue.add('welcome', {});
    const none = await fixture.move([...from, '--queue', 'post'], project);
    assert.equal(none.code, EXIT.notFound);
    assert.match(none.stderr, /no queue post under the prefix "bull"; there are mail/);
    const raw = await queue.getBackend().client;
    await raw.hset('bull:mail:meta', { version: 'bullmq:99.1.0' });
    const newer = await fixture.move(from, project);
    assert.equal(newer.code, EXIT.failed);
    assert.match(newer.stderr, /written by bullmq:99\.1\.0, and bullmq 6\.\d.*UNKNOWN_SHAPE/s);
    await raw.hset('bull:mail:meta', { version: 'bullmq:6.0.0' });
  });
});
