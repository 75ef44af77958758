import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { artifactStoreSuite, contentOf } from '../../../../test/artifact/store-suite.ts';
import { openS3Stub } from '../../../../test/support/s3/stub.ts';
import { openS3Artifacts } from './s3.ts';

const partBytes = 5 * 1024 * 1024;

artifactStoreSuite(
  'artifacts in S3',
  async () => {
    const stub = await openS3Stub();
    const store = await openS3Artifacts({ ...stub, prefix: 'pawl/', partBytes });
    stub.objects.set('somebody-else', { content: Buffer.from('x'), writtenAt: 0 });
    const leftovers = async (): Promise<number> => stub.objects.size + stub.uploads.size;
    return { store, leftovers, close: () => stub.close() };
  },
  partBytes,
);

test('[S7] the bucket refuses a wrong secret, and says so', async () => {
  const stub = await openS3Stub();
  try {
    const store = await openS3Artifacts({ ...stub, secretAccessKey: 'guessed' });
    const upload = store.put(randomUUID(), contentOf('x'), { bytesMax: 10 });
    await assert.rejects(upload, /403/);
    assert.equal(stub.objects.size, 0);
    assert.equal(stub.refused.length, 1);
  } finally {
    await stub.close();
  }
});
