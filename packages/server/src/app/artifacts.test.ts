import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openS3Stub } from '../../../../test/support/s3/stub.ts';
import { openWorld } from '../../../../test/support/world.ts';
import { Artifacts } from 'pawl/internal/engine/artifacts';
import { openArtifacts, readArtifactSettings } from './artifacts.ts';

async function* hello(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('hello');
}

const upload = { name: 'a', contentType: 'text/plain' };

test('artifacts are kept in the data folder, and link keys beside them', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-app-'));
  const world = await openWorld();
  try {
    const settings = readArtifactSettings({});
    const { files, keys } = await openArtifacts(folder, settings);
    const access = new Artifacts(world.context, { files });
    const { location } = await access.upload('acme', { ...upload, content: hello() });
    assert.ok(existsSync(join(folder, 'artifacts', location.slice(-2), location)));
    const again = await openArtifacts(folder, settings);
    assert.deepEqual(again.keys, keys);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('with S3 settings they go to the bucket; a half set of them is refused by name', async () => {
  const stub = await openS3Stub();
  const folder = mkdtempSync(join(tmpdir(), 'pawl-app-'));
  try {
    const env = {
      PAWL_S3_ENDPOINT: stub.endpoint,
      PAWL_S3_ACCESS_KEY_ID: stub.accessKeyId,
      PAWL_S3_SECRET_ACCESS_KEY: stub.secretAccessKey,
      PAWL_S3_PREFIX: 'pawl/',
      PAWL_LINK_KEYS: JSON.stringify([
        { id: 'a', secret: Buffer.alloc(32, 1).toString('base64url') },
      ]),
    };
    const world = await openWorld();
    const { files, keys } = await openArtifacts(folder, readArtifactSettings(env));
    const access = new Artifacts(world.context, { files });
    const { location } = await access.upload('acme', { ...upload, content: hello() });
    assert.deepEqual([...stub.objects.keys()], [`pawl/${location}`]);
    assert.equal(keys[0]!.id, 'a');
    const { PAWL_S3_SECRET_ACCESS_KEY: _, ...half } = env;
    assert.throws(
      () => readArtifactSettings(half),
      /^ConfigurationError: PAWL_S3_SECRET_ACCESS_KEY/,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await stub.close();
  }
});
