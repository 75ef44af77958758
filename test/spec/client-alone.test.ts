// The client by itself: without Node and, for a while, without a server.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, relative, resolve } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { defineJob, typed } from 'pawl';
import { BATCH_MAX } from 'pawl/internal/client/batches';
import { PawlClient } from 'pawl/client';
import { BATCH_MAX as SERVED_MAX } from 'pawl/internal/contract/enqueue';
import { freshFile } from '../support/databases.ts';
import { freePort } from '../support/free-port.ts';
import { serve } from '../support/served-pawl.ts';
import { importsOf } from '../tidy/source.ts';

const ENTRY = fileURLToPath(new URL('../../packages/pawl/src/client/client.ts', import.meta.url));
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const greet = defineJob('greet', {
  input: typed<{ name: string }>(),
  run: ({ input }) => `Hello, ${input.name}!`,
});

/** Every module that is loaded with the client, with what it imports from elsewhere. */
function loaded(path: string, seen: Map<string, string[]> = new Map()): Map<string, string[]> {
  const name = relative(ROOT, path);
  if (seen.has(name)) return seen;
  const code = stripTypeScriptTypes(readFileSync(path, 'utf8'));
  const specifiers = importsOf(code).map(({ specifier }) => specifier);
  seen.set(
    name,
    specifiers.filter((one) => !one.startsWith('.')),
  );
  for (const one of specifiers) {
    if (one.startsWith('.')) loaded(resolve(dirname(path), one), seen);
  }
  return seen;
}

test('the client loads nothing of Node and nothing of other packages', () => {
  const modules = loaded(ENTRY);
  assert.ok(modules.size > 20, `only ${modules.size} modules were found`);
  const foreign = [...modules].filter(([, imports]) => imports.length > 0);
  assert.deepEqual(foreign, []);
});

test('who waits outlives a restart of the server, and so does who enqueues', async () => {
  const { database } = freshFile();
  const port = await freePort();
  const first = await serve(database, [greet], { port, isWorking: false });
  // As patient as a restart takes: how long that is depends on how busy the machine is.
  const client = new PawlClient({ url: first.url, retriesMax: 100 });
  const job = await client.enqueue(greet, { name: 'again' });
  const waiting = job.result();
  const seeing = (async () => {
    const types = [];
    for await (const { type } of job.events()) types.push(type);
    return types.at(-1);
  })();
  await first.close();
  const late = client.enqueue(greet, { name: 'late' });
  const second = await serve(database, [greet], { port });
  after(() => second.close());
  assert.equal(await waiting, 'Hello, again!');
  assert.equal(await (await late).result(), 'Hello, late!');
  assert.equal(await seeing, 'job_succeeded');
});

test('as many jobs as the server takes in a batch are sent in one', () => {
  assert.equal(BATCH_MAX, SERVED_MAX);
});
