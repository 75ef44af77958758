// Features written to a real PostGIS, as Debian has it.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import pg from 'pg';
import { fromTypebox } from 'pawl/internal/handler/typebox';
import { Type } from 'typebox';
import { defineJob } from 'pawl/internal/handler/define-job';
import { freshDatabase } from '../../../test/support/postgres/fresh-database.ts';
import { postgresServers } from '../../../test/support/postgres/servers.ts';
import { writePostgis } from '../src/features/postgis.ts';
import { readFeatures } from '../src/features/feature-collection.ts';
import { openOgcServer } from './server-fixture.ts';

const POSTGIS = 'application/vnd.pawl.postgis+json';
const MISSING = 'no PostgreSQL with PostGIS (Debian: postgresql-15-postgis-3)';

async function withClient<Result>(url: string, use: (client: pg.Client) => Promise<Result>) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

/** A fresh database with PostGIS in it; null where no server has it. */
async function postgisDatabase(): Promise<string | null> {
  for (const server of await postgresServers()) {
    const sql = "SELECT 1 FROM pg_available_extensions WHERE name = 'postgis'";
    const found = await withClient(server.url, (client) => client.query(sql));
    if (found.rowCount === 0) continue;
    const database = await freshDatabase(server);
    after(() => database.drop());
    await withClient(database.url, (client) => client.query('CREATE EXTENSION postgis'));
    return database.url;
  }
  return null;
}

const url = await postgisDatabase();
const skip = url === null ? MISSING : false;
const rowsOf = (sql: string, values: unknown[] = []): Promise<Record<string, unknown>[]> =>
  withClient(url!, async (client) => (await client.query(sql, values)).rows);

const collection = {
  type: 'FeatureCollection' as const,
  features: [
    {
      type: 'Feature' as const,
      id: 'a',
      geometry: { type: 'Point' as const, coordinates: [7, 50, 12] },
      properties: { name: 'Köln', deep: { list: [1, null] } },
    },
    { type: 'Feature' as const, geometry: null, properties: null },
  ],
};

const places = defineJob('places', {
  expose: true,
  result: fromTypebox(Type.Object({ features: Type.Any() })),
  run: () => ({ features: collection }),
});

function asTable(table: string): object {
  return { outputs: { features: { format: { mediaType: POSTGIS, table } } } };
}

test('features of an execution are rows of the operator’s table', { skip }, async () => {
  const env = { PAWL_OGC_POSTGIS_URL: url!, PAWL_OGC_POSTGIS_SCHEMA: 'results' };
  await rowsOf('CREATE SCHEMA results');
  const server = await openOgcServer({ jobs: [places], env });
  const answer = await server.post('/processes/places/execution', asTable('places'));
  assert.equal(answer.status, 200, answer.text);
  assert.match(answer.headers.get('content-type')!, new RegExp(`^${POSTGIS.replaceAll('+', '.')}`));
  const { schema, table, features, jobId } = JSON.parse(answer.text) as Record<string, unknown>;
  assert.deepEqual([schema, table, features], ['results', 'places', 2]);
  const rows = await rowsOf(
    `SELECT job_id, output, position, feature_id, properties, ST_AsText(geom) AS geom,
       ST_SRID(geom) AS srid FROM results.places ORDER BY position`,
  );
  const { properties } = collection.features[0]!;
  const both = { job_id: jobId, output: 'features' };
  assert.deepEqual(rows, [
    { ...both, position: 1, feature_id: 'a', properties, geom: 'POINT Z (7 50 12)', srid: 4326 },
    { ...both, position: 2, feature_id: null, properties: {}, geom: null, srid: null },
  ]);
  const [column] = await rowsOf("SELECT srid FROM geometry_columns WHERE f_table_name = 'places'");
  assert.deepEqual(column, { srid: 4326 });
  for (const name of ['Places', 'places; drop', '', 'public.places']) {
    const refused = await server.post('/processes/places/execution', asTable(name));
    assert.deepEqual(
      [refused.status, refused.json.errors[0].pointer],
      [400, '/outputs/features/format/table'],
    );
  }
});

test(
  'other tenants have a schema of their own, or a job that says what is missing',
  { skip },
  async () => {
    const env = { PAWL_OGC_POSTGIS_URL: url!, PAWL_OGC_POSTGIS_SCHEMA: 'shared' };
    await rowsOf('CREATE SCHEMA shared_acme');
    const server = await openOgcServer({ jobs: [places], env, isLocked: true });
    const [acme, globex] = [await server.key('acme'), await server.key('globex')];
    const mine = await server.post('/processes/places/execution', asTable('places'), acme);
    assert.equal(mine.status, 200, mine.text);
    assert.equal((await rowsOf('SELECT * FROM shared_acme.places')).length, 2);
    const theirs = await server.post('/processes/places/execution', asTable('places'), globex);
    assert.equal(theirs.status, 500, theirs.text);
    assert.match(theirs.json.detail, /shared_globex\.places: the schema is not there/);
  },
);

test(
  'a write that is repeated replaces its rows, and one that fails leaves none',
  { skip },
  async () => {
    await rowsOf('CREATE SCHEMA repeated');
    const to = { url: url!, schema: 'repeated' };
    const features = readFeatures(collection);
    const write = {
      table: 't',
      jobId: '0198b1f0-0000-7000-8000-000000000001',
      output: 'o',
      features,
    };
    const other = { ...write, jobId: '0198b1f0-0000-7000-8000-000000000002' };
    await Promise.all([writePostgis(to, write), writePostgis(to, write), writePostgis(to, other)]);
    assert.equal((await writePostgis(to, write)).features, 2);
    const counted = await rowsOf(
      'SELECT job_id, count(*)::int FROM repeated.t GROUP BY 1 ORDER BY 1',
    );
    assert.deepEqual(counted, [
      { job_id: write.jobId, count: 2 },
      { job_id: other.jobId, count: 2 },
    ]);
    await rowsOf('CREATE TABLE repeated.strange (a text)');
    await assert.rejects(
      writePostgis(to, { ...write, table: 'strange' }),
      /repeated\.strange: the table has other columns/,
    );
    const many = Array.from({ length: 1_200 }, () => features[0]!);
    await writePostgis(to, { ...write, table: 'many', features: many });
    // A row that the table refuses undoes the rows before it, and the deletion of the old ones.
    await rowsOf("ALTER TABLE repeated.many ADD CHECK (properties->>'name' <> 'bad')");
    const bad = [...many, { ...features[0]!, properties: { name: 'bad' } }];
    await assert.rejects(writePostgis(to, { ...write, table: 'many', features: bad }));
    const [left] = await rowsOf('SELECT count(*)::int FROM repeated.many');
    assert.deepEqual(left, { count: 1_200 });
  },
);

test('a database that cannot be reached is tried again, without telling its address', async () => {
  const to = { url: 'postgres://user:secret-word@127.0.0.1:9/none', schema: 's' };
  const write = {
    table: 't',
    jobId: '0198b1f0-0000-7000-8000-000000000001',
    output: 'o',
    features: [],
  };
  await assert.rejects(writePostgis(to, write), (error: Error & { class?: string }) => {
    assert.equal(error.class, 'TransientError');
    return !error.message.includes('secret-word');
  });
});
