// Artifacts of handlers: in each isolation, beside the engine and behind HTTP.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { readConfiguration } from '../../src/app/configuration.ts';
import { openInner } from '../support/inner-pawl.ts';
import { startPlatform } from '../../src/app/platform.ts';
import { ApiClient, RemoteArtifacts, RemoteSource } from '../../src/client/client.ts';
import type { Job } from '../../src/core/job.ts';
import { systemTimers } from '../../src/core/timers.ts';
import type { Artifacts } from '../../src/engine/artifacts.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { typeDefinitionOf } from '../../src/handler/define-job.ts';
import { openWorker } from '../../src/worker/open-worker.ts';
import type { Worker } from '../../src/worker/worker.ts';
import * as handlers from '../fixtures/handlers/artifacts.ts';
import { type Asked, PIECE, PIECES } from '../fixtures/handlers/artifacts.ts';
import { contentOf, textOf } from '../support/artifact/artifact-world.ts';
import { eventually } from '../support/eventually.ts';
import { jobWhen } from '../support/job-when.ts';

const KINDS = ['inline', 'thread', 'process'] as const;
type Kind = (typeof KINDS)[number];
const JOBS = { inline: handlers.inline, thread: handlers.inThread, process: handlers.inProcess };
const TENANT = 'default';

/** A platform with a worker, and the folder in which its artifacts lie. */
interface Place {
  readonly engine: Engine;
  readonly access: Artifacts;
  readonly worker: Worker;
  readonly folder: string;
  close(): Promise<void>;
}

async function openBeside(data: string): Promise<Place> {
  const folder = join(data, 'artifacts');
  const pawl = await openInner({ database: join(data, 'pawl.db'), jobs: Object.values(JOBS) });
  const worker = pawl.work({ reportMs: 20 });
  const access = pawl.artifacts!;
  return { engine: pawl.engine, access, worker, folder, close: () => pawl.close() };
}

async function openRemote(data: string): Promise<Place> {
  const folder = join(data, 'artifacts');
  const env = { PORT: '0', PAWL_DATA: data, PAWL_DRAIN_MS: '0' };
  const platform = await startPlatform(readConfiguration(env), { warn: () => null });
  const { engine, artifacts: access } = platform;
  const { connection } = new ApiClient({ url: platform.url });
  for (const job of Object.values(JOBS)) {
    await engine.putType({ tenant: TENANT, type: job.type }, typeDefinitionOf(job));
  }
  const worker = openWorker({
    source: new RemoteSource({ connection, waitMs: 50 }),
    artifacts: new RemoteArtifacts({ connection }),
    jobs: Object.values(JOBS),
    id: 'remote',
    reportMs: 20,
  });
  worker.start();
  const close = async (): Promise<void> => {
    await worker.drain({ timeout: 0, grace: 0 });
    await platform.stop();
  };
  return { engine, access, worker, folder, close };
}

function sha256(...parts: readonly Uint8Array[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
}

const LARGE = {
  size: PIECES * PIECE.byteLength,
  sha256: sha256(...Array.from({ length: PIECES }, () => PIECE)),
};

for (const [where, open] of [
  ['beside the engine', openBeside],
  ['behind HTTP', openRemote],
] as const) {
  describe(`a handler ${where}`, () => {
    const data = mkdtempSync(join(tmpdir(), 'pawl-handler-artifacts-'));
    let place: Place;
    before(async () => {
      place = await open(data);
    });
    after(async () => {
      await place.close();
      rmSync(data, { recursive: true, force: true });
    });

    const begin = async (kind: Kind, input: Asked): Promise<Job> => {
      const caller = { tenant: TENANT, principal: null };
      const [result] = await place.engine.enqueue([{ type: JOBS[kind].type, input }], { caller });
      assert.ok(result!.kind === 'created');
      place.worker.wake();
      return result!.job;
    };
    const ended = (job: Job): Promise<Job> => jobWhen(place.engine, job);
    const sweep = (): Promise<unknown> =>
      place.access.sweep({ timers: systemTimers, graceMs: 0 }).runOnce();
    const onDisk = (): string[] =>
      readdirSync(place.folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => entry.name);

    for (const kind of KINDS) {
      test(`[R36, T24] in ${kind}: text, bytes and streams are kept with the job`, async () => {
        const job = await ended(await begin(kind, { does: 'keeps all kinds' }));
        assert.equal(job.error, null);
        const kept = await place.access.list(job);
        assert.deepEqual(
          JSON.parse(job.result!),
          ['notes.txt', 'thumbnail', 'deck.pdf', 'empty'].map((wanted) => {
            const { name, size, sha256: hash } = kept.find((one) => one.name === wanted)!;
            return { name, size, sha256: hash };
          }),
        );
        const [deck, , notes, thumbnail] = kept;
        assert.deepEqual({ size: deck!.size, sha256: deck!.sha256 }, LARGE);
        assert.deepEqual(
          [deck!.contentType, notes!.contentType, thumbnail!.contentType],
          ['application/pdf', 'text/markdown', 'application/octet-stream'],
        );
        assert.equal(await textOf(await place.access.open(notes!)), 'Grüße');
      });

      test(`[R36, P15] in ${kind}: an artifact on its way holds up the success`, async () => {
        const job = await ended(await begin(kind, { does: 'does not wait' }));
        assert.equal(job.state, 'succeeded');
        const [kept] = await place.access.list(job);
        assert.deepEqual({ size: kept!.size, sha256: kept!.sha256 }, LARGE);
      });

      test(`[T27] in ${kind}: a document that the input names can be read`, async () => {
        const chunks = Array.from({ length: PIECES }, () => PIECE.toString());
        const content = contentOf(...chunks);
        const sent = { name: 'scan.pdf', contentType: 'application/pdf', content };
        const { id } = await place.access.upload(TENANT, sent);
        const job = await ended(await begin(kind, { does: 'reads', document: { $artifact: id } }));
        assert.deepEqual(JSON.parse(job.result!), { name: 'scan.pdf', ...LARGE });
        const gone = { $artifact: '00000000-0000-7000-8000-000000000000' };
        const { error } = await ended(await begin(kind, { does: 'reads', document: gone }));
        assert.deepEqual([error?.class, error?.code], ['validation_error', 'NOT_FOUND']);
      });

      test(`[R14, T8] in ${kind}: a hard cancel amid a stream leaves nothing`, async () => {
        const before = onDisk();
        const job = await begin(kind, { does: 'never ends its stream' });
        await eventually('bytes have come', () => onDisk().length > before.length);
        const asked = { ref: job, actor: 'test', mode: 'hard', reason: null } as const;
        await place.engine.cancel([asked]);
        place.worker.check();
        await place.worker.idle();
        await eventually('they are gone', () => onDisk().length === before.length);
        assert.deepEqual(await place.access.list(job), []);
        assert.deepEqual(onDisk().toSorted(), before.toSorted());
      });

      test(`[R36] in ${kind}: a stream that breaks fails the attempt as it broke`, async () => {
        const before = onDisk();
        const { state, error } = await ended(await begin(kind, { does: 'breaks its stream' }));
        assert.deepEqual(
          [state, error?.class, error?.message],
          ['failed', 'TransientError', 'the renderer broke off'],
        );
        await eventually('its half is gone', () => onDisk().length === before.length);
      });

      test(`[T8] in ${kind}: the artifacts of a job that failed are removed`, async () => {
        await sweep();
        const before = onDisk();
        const job = await ended(await begin(kind, { does: 'breaks later' }));
        assert.deepEqual([job.state, job.error?.class], ['failed', 'TransientError']);
        await sweep();
        assert.deepEqual([await place.access.list(job), onDisk()], [[], before]);
      });
    }
  });
}
