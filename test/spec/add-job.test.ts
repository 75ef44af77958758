// Jobs from plain SQL: what `pawl.add_job` makes, and what it refuses, as the API would.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { z } from 'zod';
import { defineJob, lifecycles, openPawl, type Pawl } from 'pawl';
import { freshPostgres } from '../support/databases.ts';

const resize = defineJob('resize', {
  input: z.object({ width: z.number() }),
  maxAttempts: 4,
  run: ({ input }) => `${input.width} wide`,
});
const tidy = defineJob('tidy', { run: () => 'tidied' });
const letter = defineJob('letter', {
  lifecycle: lifecycles.document,
  input: z.unknown(),
  run: () => 'sent',
});
const alone = defineJob('alone', {
  input: z.unknown(),
  limits: { runningPerKey: { max: 1, key: 'limitKey' }, activePerDocument: true },
  run: () => 'done',
});
const jobs = [resize, tidy, letter, alone];

const { database } = await freshPostgres();

describe('pawl.add_job', () => {
  const client = new pg.Client({ connectionString: database });
  let pawl: Pawl;
  before(async () => {
    await client.connect();
    pawl = await openPawl({ database, schema: 'work', jobs, log: false });
  });
  after(async () => {
    await pawl.close();
    await client.end();
  });

  async function addJob(call: string, values: unknown[] = []): Promise<string> {
    const { rows } = await client.query<{ id: string }>(
      `SELECT work.add_job(${call}) AS id`,
      values,
    );
    return rows[0]!.id;
  }

  const refuses = (call: string, message: RegExp, values: unknown[] = []): Promise<void> =>
    assert.rejects(addJob(call, values), { message });

  test('makes a job of a registered type in the chosen schema, with all that is said', async () => {
    const at = new Date('2100-01-01T00:00:00.000Z');
    const id = await addJob(
      `'resize', '{"width":800}', run_at => $1, queue => 'images', priority => -5,
       document_id => 'd', correlation_id => 'c', limit_key => 'l', metadata => '{"by":"hand"}'`,
      [at],
    );
    const job = await pawl.job(resize, id).snapshot();
    assert.deepEqual(job.input, { width: 800 });
    assert.deepEqual(
      [job.type, job.queue, job.priority, job.state],
      ['resize', 'images', -5, 'pending'],
    );
    assert.deepEqual([job.documentId, job.correlationId, job.metadata], ['d', 'c', { by: 'hand' }]);
    assert.deepEqual([job.runAt, job.maxAttempts], [at, 4]);
    const types: string[] = [];
    for await (const { type } of pawl.job(id).events({ signal: AbortSignal.timeout(30_000) })) {
      types.push(type);
      if (types.length === 1) break;
    }
    assert.deepEqual(types, ['job_created']);
  });

  test('makes one for a key, and answers with it again', async () => {
    const call = `'resize', '{"width":1}', key => 'once', run_at => now() + interval '1 hour'`;
    const id = await addJob(call);
    assert.equal(await addJob(call.replace('{"width":1}', '{ "width": 1 }')), id);
    await refuses(`'resize', '{"width":2}', key => 'once'`, /has made job .* from another payload/);
  });

  test('makes them from a trigger, with the row or not at all', async () => {
    await client.query(`
      CREATE TABLE pictures (id int PRIMARY KEY, width int);
      CREATE FUNCTION resize_picture() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM work.add_job('resize', json_build_object('width', NEW.width),
          key => 'picture ' || NEW.id, queue => 'pictures');
        RETURN NEW;
      END $$;
      CREATE TRIGGER resize AFTER INSERT ON pictures FOR EACH ROW
        EXECUTE FUNCTION resize_picture();`);
    await client.query('BEGIN; INSERT INTO pictures VALUES (1, 100); ROLLBACK');
    await client.query('INSERT INTO pictures VALUES (2, 200), (3, 300)');
    const { items } = await pawl.jobs({ type: resize, queue: 'pictures' });
    // Jobs of one millisecond have no order in a list.
    const made = items.map(({ input }) => (input as { width: number }).width);
    assert.deepEqual(new Set(made), new Set([200, 300]));
    pawl.work({ queues: ['pictures', 'default'] });
    const results = items.map(({ id }) => pawl.job(resize, id).result());
    const wide = await Promise.all(results);
    assert.deepEqual(wide.toSorted(), ['200 wide', '300 wide']);
  });

  test('leaves the check of the input to the worker, which fails the job at once', async () => {
    const job = pawl.job(resize, await addJob(`'resize', '{"width":"wide"}'`));
    const { phase, error, attempts } = await job.ended({ timeout: '30s' });
    assert.deepEqual([phase, error?.class, attempts], ['failed', 'ValidationError', 1]);
    assert.match(error!.message, /width/);
    assert.equal(await pawl.job(tidy, await addJob(`'tidy'`)).result(), 'tidied');
  });

  test('refuses a type that nobody has registered', async () => {
    await refuses(
      `'nothing'`,
      /the type "nothing" is not registered for the tenant "default": start a program that/,
    );
  });

  test('makes jobs of other tenants, of types that all may use', async () => {
    const id = await addJob(`'resize', '{"width":7}', tenant => 'acme', queue => 'later'`);
    const { input } = await pawl.tenant('acme').job(resize, id).snapshot();
    assert.deepEqual(input, { width: 7 });
    await refuses(`'resize', tenant => '*'`, /tenant must be 1 to 128 letters/);
  });

  test('holds jobs where their lifecycle has such a state, and nowhere else', async () => {
    const id = await addJob(`'letter', hold => true`);
    assert.equal((await pawl.job(id).snapshot()).phase, 'held');
    const held = `'letter', hold => true, key => 'held'`;
    assert.equal(await addJob(held), await addJob(held));
    await refuses(`'letter', key => 'held'`, /has made job .* from another payload/);
    await refuses(`'tidy', hold => true`, /hold must be left out: the lifecycle task has no held/);
    await refuses(`'tidy', '{"a":1}'`, /input must be left out: jobs of this type take no input/);
  });

  test('counts jobs under the limits of their type', async () => {
    await addJob(`'alone', document_id => 'one', queue => 'later', limit_key => 'me'`);
    await refuses(`'alone', document_id => 'one'`, /is active for document one: wait for its end/);
    const options = { documentId: 'two', queue: 'later', limitKey: 'me' };
    const theirs = await pawl.enqueue(alone, {}, options);
    const mine = await addJob(
      `'alone', document_id => 'three', queue => 'later', limit_key => 'me'`,
    );
    const reasons = [await theirs.why(), await pawl.job(mine).why()];
    assert.deepEqual(
      reasons.map(({ reason, facts }) => [reason, facts['key'], facts['position']]),
      [
        ['no_slot', 'limitKey me', 1],
        ['no_slot', 'limitKey me', 2],
      ],
    );
  });

  test('refuses jobs for a queue that is above its high watermark', async () => {
    await pawl.queue('narrow').limits({ highWatermark: 2, lowWatermark: 1 });
    await pawl.enqueueMany(resize, [{ width: 1 }, { width: 2 }], { queue: 'narrow' });
    await assert.rejects(pawl.enqueue(resize, { width: 3 }, { queue: 'narrow' }), {
      code: 'QUEUE_OVERLOADED',
    });
    await refuses(`'resize', queue => 'narrow'`, /"narrow" is above its high watermark.*later/);
  });

  const deep = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;
  const REFUSED: readonly (readonly [
    what: string,
    call: string,
    message: RegExp,
    value?: string,
  ])[] = [
    ['text that is no JSON', `'letter', $1`, /invalid input syntax for type json/, '{"a":'],
    [
      'more than 1 MiB',
      `'letter', $1`,
      /input has 1048578 bytes, more than the 1048576 that/,
      `[${`"${'x'.repeat(1_021)}",`.repeat(1_023)}"${'x'.repeat(1_022)}"]`,
    ],
    [
      'a text that is too long',
      `'letter', $1`,
      /input has a text longer than 262144/,
      `"${'x'.repeat(262_145)}"`,
    ],
    ['deep nesting', `'letter', $1`, /input is nested deeper than 63 levels/, deep(64)],
    [
      'too many members',
      `'letter', $1`,
      /input has more than 10000 members/,
      JSON.stringify(Object.fromEntries(Array.from({ length: 10_001 }, (_, at) => [at, 0]))),
    ],
    [
      'a member given twice',
      `'letter', $1`,
      /input has a member that is given twice/,
      '[{"a":1,"\\u0061":2}]',
    ],
    [
      'names of prototypes',
      `'letter', $1`,
      /input has a member whose name is not allowed/,
      '{"__proto__":{}}',
    ],
    [
      'the same by the constructor',
      `'letter', $1`,
      /whose name is not allowed/,
      '{"constructor":{"prototype":1}}',
    ],
    [
      'U+0000',
      `'letter', $1`,
      /input holds U\+0000 or half of a surrogate pair.*base64/,
      '["\\u0000"]',
    ],
    ['half of a surrogate pair', `'letter', $1`, /input holds U\+0000 or half/, '"\\ud800"'],
    [
      'a number that no double is',
      `'letter', $1`,
      /number that is not the same as a double: give it as a string/,
      '{"n":9007199254740993}',
    ],
    [
      'a number that is too large',
      `'letter', $1`,
      /number that is not the same as a double/,
      '[1e400]',
    ],
    ['metadata that is no object', `'letter', metadata => $1`, /metadata must be an object/, '[]'],
    [
      'more than 64 KiB of metadata',
      `'letter', metadata => $1`,
      /metadata has \d+ bytes, more than the 65536/,
      `{"a":"${'x'.repeat(65_536)}"}`,
    ],
    [
      'an impossible priority',
      `'letter', priority => 40000`,
      /priority must be a whole number up to ±32767/,
    ],
    ['a name that is none', `'a b', queue => ''`, /type must be 1 to 128 letters.*; queue must be/],
    ['no type at all', `NULL`, /type must be 1 to 128 letters/],
    ['an empty key', `'letter', key => ''`, /key must be a text of 1 to 512 characters/],
    [
      'a key that is too long',
      `'letter', key => $1`,
      /key must be a text of 1 to 512/,
      'k'.repeat(513),
    ],
    ['a time without end', `'letter', run_at => 'infinity'`, /run_at must be a time since 1970/],
  ];

  for (const [what, call, message, value] of REFUSED) {
    test(`refuses ${what}`, () => refuses(call, message, value === undefined ? [] : [value]));
  }

  const TAKEN = [
    '"\\ud83d\\ude00"',
    '0.1',
    '1.0e2',
    '-0.0',
    '9007199254740992',
    deep(63),
    '[[], {}]',
  ];
  for (const [at, input] of TAKEN.entries()) {
    test(`takes ${input.slice(0, 20)} (${at})`, async () => {
      const id = await addJob(`'letter', $1, hold => true`, [input]);
      const { input: kept } = await pawl.job(id).snapshot();
      assert.deepEqual(kept, JSON.parse(input));
    });
  }
});
