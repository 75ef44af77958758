// Features as a GeoPackage: an output format that any process with features has.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { fromTypebox } from 'pawl/internal/handler/typebox';
import { Type } from 'typebox';
import { defineJob } from 'pawl/internal/handler/define-job';
import { fail } from 'pawl/internal/handler/failure';
import { jobWhen } from '../../../test/support/job-when.ts';
import { openOgcServer, pathOf } from './server-fixture.ts';

const GEOPACKAGE = 'application/geopackage+sqlite3';
const ASYNC = { prefer: 'respond-async' };
const asPackage = { format: { mediaType: GEOPACKAGE } };

const places = defineJob('places', {
  expose: true,
  input: fromTypebox(Type.Object({ count: Type.Integer() })),
  result: fromTypebox(Type.Object({ features: Type.Any(), count: Type.Integer() })),
  run: ({ input: { count } }) => {
    if (count < 0) throw fail('validation_error', 'no place has a count below 0');
    const features = Array.from({ length: count }, (_, index) => ({
      type: 'Feature' as const,
      geometry: { type: 'Point' as const, coordinates: [index, 50] },
      properties: { name: `place ${index}` },
    }));
    return { features: { type: 'FeatureCollection' as const, features }, count };
  },
});

const provider = await openOgcServer({ jobs: [places] });
const folder = mkdtempSync(join(tmpdir(), 'pawl-ogc-delivery-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const path = join(folder, 'providers.json');
const near = { url: provider.url, poll_interval: 0.05 };
writeFileSync(path, JSON.stringify({ providers: { near } }));
const server = await openOgcServer({ jobs: [places], env: { PAWL_OGC_PROVIDERS: path } });
const inputs = { count: 3 };

async function namesIn(at: string): Promise<unknown[]> {
  const response = await fetch(server.url + at);
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), GEOPACKAGE);
  const bytes = Buffer.from(await response.arrayBuffer());
  assert.equal(response.headers.get('content-length'), String(bytes.byteLength));
  const file = join(folder, `${at.replaceAll('/', '_')}.gpkg`);
  writeFileSync(file, bytes);
  const database = new DatabaseSync(file, { readOnly: true });
  const rows = database.prepare('SELECT name FROM features ORDER BY fid').all();
  database.close();
  return rows.map(({ name }) => name);
}

for (const id of ['places', 'near:places']) {
  test(`${id}: a synchronous execution answers with the GeoPackage itself`, async () => {
    const body = { inputs, outputs: { features: asPackage } };
    const answer = await server.post(`/processes/${id}/execution`, body);
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.headers.get('content-type'), GEOPACKAGE);
    assert.ok(answer.text.startsWith('SQLite format 3'));
  });

  test(`${id}: an asynchronous one has it as results, and by reference beside others`, async () => {
    const outputs = { features: asPackage, count: {} };
    const body = { inputs, outputs, response: 'document' };
    const begun = await server.post(`/processes/${id}/execution`, body, ASYNC);
    assert.equal(begun.status, 201, begun.text);
    const { jobID } = begun.json;
    await jobWhen(server.engine, { tenant: 'default', id: jobID as string });
    const { json: status } = await server.get(`/jobs/${jobID}`);
    assert.deepEqual([status.processID, status.status], [id, 'successful'], status.message);
    const { json } = await server.get(`/jobs/${jobID}/results`);
    assert.deepEqual([json.count, json.features.type], [3, GEOPACKAGE]);
    const at = pathOf(server, json.features.href as string);
    assert.equal(at, `/jobs/${jobID}/results/features`);
    assert.deepEqual(await namesIn(at), ['place 0', 'place 1', 'place 2']);
    const { json: list } = await server.get(`/jobs?processID=${id}`);
    const ids = list.jobs.map((one: { jobID: string }) => one.jobID);
    assert.equal(ids.filter((one: string) => one === jobID).length, 1);
    // The execution behind it is no job of its own to clients.
    assert.equal(ids.length, 2);
  });

  test(`${id}: an execution that fails fails as it would without delivery`, async () => {
    const body = { inputs: { count: -1 }, outputs: { features: asPackage } };
    const answer = await server.post(`/processes/${id}/execution`, body);
    assert.equal(answer.status, id === 'places' ? 400 : 502, answer.text);
    assert.match(answer.json.detail, /no place has a count below 0/);
  });
}

test('an output that is no features fails the job, and says so', async () => {
  const body = { inputs, outputs: { count: asPackage } };
  const answer = await server.post('/processes/places/execution', body);
  assert.equal(answer.status, 400, answer.text);
  assert.match(answer.json.detail, /the output "count" cannot be delivered.*FeatureCollection/);
});

test('a delivery is its user’s: others find neither the job nor the file', async () => {
  const locked = await openOgcServer({ jobs: [places], isLocked: true });
  const ada = await locked.key('acme', { name: 'ada', roles: ['user'] });
  const bob = await locked.key('acme', { name: 'bob', roles: ['user'] });
  const body = { inputs, outputs: { features: asPackage } };
  const begun = await locked.post('/processes/places/execution', body, { ...ada, ...ASYNC });
  const { jobID } = begun.json;
  await jobWhen(locked.engine, { tenant: 'acme', id: jobID as string });
  for (const at of ['', '/results', '/results/features']) {
    assert.equal((await locked.get(`/jobs/${jobID}${at}`, ada)).status, 200, at);
    assert.equal((await locked.get(`/jobs/${jobID}${at}`, bob)).status, 404, at);
  }
  const { json: theirs } = await locked.get('/v1/jobs', bob);
  assert.deepEqual(theirs.items, []);
  // The execution behind it is the same user's.
  const { json: own } = await locked.get('/v1/jobs', ada);
  assert.deepEqual(own.items.map((one: { type: string }) => one.type).toSorted(), [
    'ogc-delivery',
    'places',
  ]);
});

test('PostGIS is no format where the operator names no database', async () => {
  const format = { mediaType: 'application/vnd.pawl.postgis+json', table: 'places' };
  const body = { inputs, outputs: { features: { format } } };
  const answer = await server.post('/processes/places/execution', body);
  assert.equal(answer.status, 400);
  assert.equal(answer.json.errors[0].pointer, '/outputs/features/format/mediaType');
  assert.match(answer.json.errors[0].message, /PAWL_OGC_POSTGIS_URL/);
});

test('a dismissed delivery dismisses the execution behind it', async () => {
  const waiting = await openOgcServer({ jobs: [places], isWorking: false });
  const body = { inputs, outputs: { features: asPackage } };
  const begun = await waiting.post('/processes/places/execution', body, ASYNC);
  const gone = await waiting.call('DELETE', `/jobs/${begun.json.jobID}`);
  assert.equal(gone.json.status, 'dismissed');
});
