// A server that processes are deployed to, with a provider of the same kind behind it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { defineJob } from 'pawl/internal/handler/define-job';
import { typed } from 'pawl/internal/handler/schema';
import { type Answer, openOgcServer } from './server-fixture.ts';

/** Of bodies that are looked into freely. */
export interface Told {
  readonly [member: string]: string | boolean;
}

export const EXCEPTIONS = 'http://www.opengis.net/def/exceptions/ogcapi-processes-2/1.0/';
export const PACKAGE = { 'content-type': 'application/ogcapppkg+json' };

/** A type that its author did not publish. */
export const area = defineJob('area', {
  input: typed<{ width: number; height?: number }>(),
  run: ({ input }) => ({ area: input.width * (input.height ?? 1), unit: 'm²' }),
});

const slow = defineJob('slow', {
  expose: { groups: ['chiefs'] },
  input: typed<unknown>(),
  run: ({ signal }) => new Promise((_, stop) => signal.addEventListener('abort', stop)),
});

export const provider = await openOgcServer();
export const folder = mkdtempSync(join(tmpdir(), 'pawl-ogc-deployment-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const path = join(folder, 'providers.json');
const providers = {
  near: { url: provider.url, poll_interval: 0.05, processes: { exclude: ['hidden'] } },
  chiefs: { url: provider.url.replace('127.0.0.1', 'localhost'), groups: ['chiefs'] },
};
writeFileSync(path, JSON.stringify({ providers }));
export const server = await openOgcServer({
  jobs: [area, slow],
  isLocked: true,
  env: { PAWL_OGC_PROVIDERS: path },
});
export const acme = await server.key('acme');

export function packageOf(id: string, executionUnit: object, members: object = {}): object {
  return { processDescription: { process: { id, version: '2.1.0', ...members } }, executionUnit };
}

export function deploy(body: object, headers = acme): Promise<Answer> {
  return server.post('/processes', body, { ...headers, ...PACKAGE });
}

export function put(id: string, body: object, headers = acme): Promise<Answer> {
  return server.put(`/processes/${id}`, body, { ...headers, ...PACKAGE });
}

export const number = { schema: { type: 'number' } };
export const AREA = packageOf(
  'box-area',
  { type: 'pawl', job: 'area' },
  {
    title: 'Area of a box',
    keywords: ['box'],
    inputs: { width: number, height: { minOccurs: 0, ...number } },
    outputs: { area: number },
  },
);
