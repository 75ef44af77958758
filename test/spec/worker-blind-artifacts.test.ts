// A handler's artifacts through a codec: it sees names and contents, the platform sees neither.
import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { aesCodec } from 'pawl/internal/codec/aes-codec';
import { newPayloadKey } from 'pawl/internal/codec/key-ring';
import { encodedArtifacts } from 'pawl/internal/codec/wrap/artifacts';
import { encodedSink } from 'pawl/internal/codec/wrap/enqueue';
import { encodedSource } from 'pawl/internal/codec/wrap/source';
import { typeDefinitionOf } from 'pawl/internal/handler/define-job';
import { openWorker } from 'pawl/internal/worker/open-worker';
import { openArtifactWorld } from '../support/artifact/artifact-world.ts';
import { inSqlite } from '../support/in-sqlite.ts';
import { jobThat } from '../support/workshop.ts';
import { TENANT } from '../support/world.ts';

const SECRET = 'the merger is on Monday';

test('[D16] a handler keeps and reads an artifact that the platform cannot', async (context) => {
  const read: unknown[] = [];
  const job = jobThat(async ({ artifact, openArtifact }) => {
    const kept = await artifact(`${SECRET}.txt`, SECRET);
    const { name, content } = await openArtifact(kept);
    read.push(kept.name, name, await text(content));
    return kept.id;
  });
  const types = { job: typeDefinitionOf(job) };
  const { world, access, onDisk } = await openArtifactWorld(context, { store: inSqlite, types });
  const codec = aesCodec({ keys: [newPayloadKey('k1')] });
  const worker = openWorker({
    source: encodedSource(world.engine, codec),
    artifacts: encodedArtifacts(access, codec, world.engine.ids),
    jobs: [job],
    clock: world.clock,
  });
  const sink = encodedSink(world.engine, codec, world.engine.ids);
  const caller = { tenant: TENANT, principal: null };
  const [accepted] = await sink.enqueue([{ type: 'job', input: null }], { caller });
  assert.ok(accepted!.kind === 'created');
  const { id } = accepted!.job;
  await worker.poll();
  await worker.idle();
  assert.equal(await world.stateOf(id), 'succeeded');
  assert.deepEqual(read, [`${SECRET}.txt`, `${SECRET}.txt`, SECRET]);
  const seen = JSON.stringify([await access.list({ tenant: TENANT, id }), onDisk()]);
  assert.ok(!seen.includes('merger'), 'nothing of it is in the platform');
});
