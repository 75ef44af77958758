// The same flow in every isolation, and on the stores that programs use.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { aesCodec } from 'pawl/internal/codec/aes-codec';
import { isSealed } from 'pawl/internal/codec/sealed';
import { newPayloadKey } from 'pawl/internal/codec/key-ring';
import { defineJob, openPawl, typed } from 'pawl';
import { partsOf } from 'pawl/internal/pawl/parts';
import { openWorld } from 'pawl/testing';
import {
  double,
  waitsInline,
  waitsInProcess,
  waitsInThread,
} from '../fixtures/handlers/waiting.ts';
import { freshDatabase } from '../support/postgres/fresh-database.ts';
import { postgresServers } from '../support/postgres/servers.ts';

for (const flow of [waitsInline, waitsInThread, waitsInProcess]) {
  test(`${flow.type}: jobs, messages and time are waited for alike`, async () => {
    await using world = await openWorld({ jobs: [flow, double] });
    world.stub(double, ({ input }) => {
      if (input === 2) throw new Error('no twos');
      return input * 2;
    });
    const job = await world.enqueue(flow, 4);
    await world.runUntilIdle();
    // The child that fails is tried again.
    await world.clock.advance('10m');
    await world.runUntilIdle();
    await world.clock.advance('10m');
    await world.runUntilIdle();
    await world.clock.advance('1h');
    await job.send('said', 'yes');
    assert.deepEqual(await job.result(), {
      one: 8,
      sums: [2, -1, 6],
      started: 20,
      answer: { which: 'said', value: 'yes' },
      link: 'pawl.test',
    });
    assert.equal((await job.snapshot()).attempts, 1);
  });
}

const part = defineJob('part', { input: typed<number>(), run: ({ input }) => input * input });

const sum = defineJob('sum', {
  input: typed<number>(),
  async run({ input, callAll, receive }) {
    const numbers = Array.from({ length: input }, (_, n) => n);
    const parts = await callAll('parts', part, numbers);
    const { factor } = await receive('factor', typed<{ factor: number }>());
    let total = 0;
    for await (const { result } of parts.results()) total += result;
    return total * factor;
  },
});

async function runsOn(database: string): Promise<void> {
  const pawl = await openPawl({ database, jobs: [part, sum] });
  pawl.work();
  const job = await pawl.enqueue(sum, 150);
  await job.send('factor', { factor: 2 });
  assert.equal(await job.result({ timeout: '60s' }), 2 * 1_113_775);
  const { attempts } = await job.snapshot();
  const { counts } = (await job.tree()).waits.find(({ name }) => name === 'parts')!;
  assert.deepEqual([attempts, counts], [1, { total: 150, succeeded: 150, failed: 0, open: 0 }]);
  await pawl.close();
}

test('a program on SQLite waits for 150 jobs and a message', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-flow-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  await runsOn(join(folder, 'jobs.db'));
});

for (const server of await postgresServers()) {
  test(`a program on ${server.label} waits for 150 jobs and a message`, async (context) => {
    const database = await freshDatabase(server);
    context.after(() => database.drop());
    await runsOn(database.url);
  });
}

test('[D16] with a codec inputs of children, their results and messages are ciphertext', async () => {
  const codec = aesCodec({ keys: [newPayloadKey('k1')] });
  await using world = await openWorld({ jobs: [part, sum], codec });
  const job = await world.enqueue(sum, 3);
  await job.send('factor', { factor: 10 });
  assert.equal(await job.result(), 50);
  const { engine } = partsOf(world);
  const { jobs } = await engine.jobs({ tenant: 'default', type: 'part', limit: 10 });
  assert.deepEqual(
    jobs.map(({ input, result }) => isSealed(input) && isSealed(result!)),
    [true, true, true],
  );
  const [message] = await engine.flows.messages({ tenant: 'default', id: job.id });
  assert.ok(isSealed(message!.payload));
});
