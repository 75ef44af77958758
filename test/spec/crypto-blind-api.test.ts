// A whole platform as it is started: what it answers, stores and logs of payloads it cannot read.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { readConfiguration } from '@pawl/server/internal/app/configuration';
import { type Platform, startPlatform } from '@pawl/server/internal/app/platform';
import { aesCodec } from 'pawl/internal/codec/aes-codec';
import { newPayloadKey } from 'pawl/internal/codec/key-ring';
import { nullCodec } from 'pawl/internal/codec/null-codec';
import type { PayloadCodec } from 'pawl/internal/codec/payload-codec';
import { systemClock } from 'pawl/internal/core/clock';
import { systemIds } from 'pawl/internal/core/ids';
import type { Job } from 'pawl/internal/core/job';
import { BlindPair, CANARIES, canariesIn, putBlindTypes } from '../support/blind/canaries.ts';

/** The tenant of requests without a credential. */
const TENANT = 'default';

interface Seen {
  readonly answers: string;
  readonly stored: string;
  readonly logged: string;
}

/** Everything that a reader and a worker without a codec are told. */
async function askEverything(url: string, jobs: readonly Job[]): Promise<string> {
  const heard: string[] = [];
  const ask = async (path: string, options: RequestInit = {}): Promise<string> => {
    const answer = await fetch(`${url}${path}`, options);
    const text = `${JSON.stringify([...answer.headers])}${await answer.text()}`;
    heard.push(text);
    return text;
  };
  const letters = await ask('/v1/dlq');
  const letter = /"id":"([0-9a-f-]{36})"/.exec(letters)![1]!;
  const shared = ['/v1/jobs', '/v1/types', '/v1/queues', '/v1/workers', `/v1/dlq/${letter}`];
  for (const path of shared) await ask(path);
  for (const { id } of jobs) {
    const own = [
      '',
      '?view=record',
      '/why',
      '/input',
      '/result',
      '/events?limit=500',
      '/artifacts',
    ];
    for (const path of own) await ask(`/v1/jobs/${id}${path}`);
  }
  // The stream of a job that has ended comes to its end.
  const accept = 'text/event-stream';
  await ask(`/v1/jobs/${jobs[0]!.id}/events`, { headers: { accept, 'last-event-id': '0.0' } });
  await ask(`/v1/dlq/${letter}/replay`, { method: 'POST' });
  await ask('/v1/claims', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ workerId: 'w9', types: ['secret-index', 'secret-export'], max: 9 }),
  });
  return heard.join('\n');
}

async function runOn(platform: Platform, codec: PayloadCodec): Promise<string> {
  const { engine, artifacts: access } = platform;
  await putBlindTypes(engine, TENANT);
  const ids = systemIds(systemClock);
  const pair = new BlindPair({ engine, access, codec, ids, tenant: TENANT });
  const { done, waiting, dead } = await pair.runEverything();
  return askEverything(platform.url, [done, waiting, dead]);
}

async function seenBy(codec: PayloadCodec): Promise<Seen> {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-blind-api-'));
  const lines: string[] = [];
  const warn = (...words: unknown[]): void => void lines.push(inspect(words, { depth: 10 }));
  try {
    const configuration = readConfiguration({ PORT: '0', PAWL_DATA: folder });
    const platform = await startPlatform(configuration, { warn });
    try {
      const answers = await runOn(platform, codec);
      const stored = readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
      return { answers, stored: stored.join('\n'), logged: lines.join('\n') };
    } finally {
      await platform.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test('[D16, S16] no answer, file or log line of the platform has a covered text', async () => {
  const { answers, stored, logged } = await seenBy(aesCodec({ keys: [newPayloadKey('k1')] }));
  assert.ok(answers.includes('pawl1.k1.'), 'the answers have the ciphertext');
  assert.deepEqual(canariesIn(answers), []);
  assert.deepEqual(canariesIn(stored), []);
  assert.deepEqual(canariesIn(logged), []);
});

test('the same search finds what is not encoded', async () => {
  const { answers, stored } = await seenBy(nullCodec);
  assert.deepEqual(canariesIn(stored).sort(), Object.values(CANARIES).sort());
  const inBytes = ['artifact-name', 'artifact-content', 'upload-name', 'upload-content'];
  const answered = Object.entries(CANARIES).filter(([field]) => !inBytes.includes(field));
  // Stages and checkpoints are told to the worker that claims the job again, and to nobody else.
  const forWorkers = ['stage-result', 'checkpoint', 'snooze-checkpoint'];
  const told = answered.filter(([field]) => !forWorkers.includes(field)).map(([, text]) => text);
  const found = canariesIn(answers);
  assert.deepEqual(
    told.filter((text) => !found.includes(text)),
    [],
  );
});
