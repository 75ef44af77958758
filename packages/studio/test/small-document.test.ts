// document jobs: text and structure of real files.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { documentJob, type DocumentResult } from '../src/small/document.ts';
import { openJobFixture, resultOf } from './job-fixture.ts';

test('[D4, D5] a document job gives text and structure of a file, and the lifecycle’s own classes of errors', async (context) => {
  const fixture = await openJobFixture(context, [documentJob]);
  const file = readFileSync(
    new URL('../../../test/fixtures/documents/harbour.pptx', import.meta.url),
  );
  const assetRef = await fixture.upload('harbour.pptx', file);
  const job = await fixture.run('document', { assetRef });
  assert.equal(job.state, 'SUCCEEDED', JSON.stringify(job.error));
  const { textRef, structureRef, ...facts } = resultOf<DocumentResult>(job);
  assert.deepEqual([facts.title, facts.sourceType, facts.pages], ['Harbour report', 'pptx', 3]);
  assert.match((await fixture.read(textRef)).toString(), /Harbour/);
  const structure = JSON.parse((await fixture.read(structureRef)).toString()) as {
    pages: unknown[];
  };
  assert.equal(structure.pages.length, 3);
  const broken = await fixture.upload('broken.pptx', file.subarray(0, 2_000));
  const failed = await fixture.run('document', { assetRef: broken });
  assert.deepEqual(
    [failed.state, failed.error?.class, failed.error?.code],
    ['FAILED', 'invalid_document', 'CONVERT_CORRUPTED'],
  );
  const gone = await fixture.run('document', { assetRef: '019a8f3e-7c00-7d2a-9b1e-4f5a6b7c8d9e' });
  assert.deepEqual([gone.error?.class, gone.error?.code], ['job_validation', 'SOURCE_NOT_FOUND']);
});
