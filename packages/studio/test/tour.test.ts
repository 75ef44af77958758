// The first minute of a newcomer, over HTTP: upload, convert, look, export, download.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { readConfiguration } from '@pawl/server/internal/app/configuration';
import { startPlatform } from '@pawl/server/internal/app/platform';
import { LINK_TTL_MS_MIN } from 'pawl/internal/artifact/link';

interface Linked {
  readonly name: string;
  readonly url: string;
  readonly urlExpiresAt: string;
}

test('[T1, T24] a file becomes a deck with previews, and the deck a file, by signed links', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-tour-'));
  const jobs = fileURLToPath(new URL('../src/jobs.ts', import.meta.url));
  const env = { PORT: '0', PAWL_DATA: folder, PAWL_JOBS: jobs };
  const platform = await startPlatform(readConfiguration(env), { warn: () => undefined });
  context.after(async () => {
    await platform.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const call = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const answer = await fetch(`${platform.url}${path}`, init);
    assert.ok(answer.ok, `${path}: ${answer.status} ${answer.ok ? '' : await answer.text()}`);
    return answer;
  };
  const run = async (type: string, input: unknown): Promise<{ id: string; result: unknown }> => {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ type, input, documentId: 'harbour' });
    const accepted = await call('/v1/jobs', { method: 'POST', headers, body });
    const { id } = (await accepted.json()) as { id: string };
    const ended = await call(`/v1/jobs/${id}?waitMs=30000`);
    const { state, error } = (await ended.json()) as { state: string; error: unknown };
    assert.equal(state, 'succeeded', JSON.stringify(error));
    return { id, result: await (await call(`/v1/jobs/${id}/result`)).json() };
  };
  const artifactsOf = async (id: string): Promise<readonly Linked[]> => {
    const list = await call(`/v1/jobs/${id}/artifacts`);
    return ((await list.json()) as { items: Linked[] }).items;
  };

  const source = readFileSync(
    new URL('../../../test/fixtures/documents/harbour.pptx', import.meta.url),
  );
  const upload = await call('/v1/artifacts?name=harbour.pptx', { method: 'POST', body: source });
  const { id: assetRef } = (await upload.json()) as { id: string };
  const converted = await run('convert', { assetRef });
  const { deckRef } = converted.result as { deckRef: string };
  const names = (await artifactsOf(converted.id)).map(({ name }) => name);
  assert.deepEqual(
    names.filter((name) => !name.startsWith('images/')),
    ['deck.json', 'losses.json', 'previews/0001.jpg', 'previews/0002.jpg', 'previews/0003.jpg'],
  );
  const before = Date.now();
  const exported = await run('export', { deckRef, format: 'pdf' });
  const [file] = await artifactsOf(exported.id);
  assert.equal(file!.name, 'Harbour report.pdf');
  assert.ok(Date.parse(file!.urlExpiresAt) >= before + LINK_TTL_MS_MIN);
  const download = Buffer.from(await (await call(file!.url)).arrayBuffer());
  assert.equal(download.subarray(0, 5).toString(), '%PDF-');
});
