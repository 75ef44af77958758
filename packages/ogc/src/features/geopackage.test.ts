import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { FeatureFault, type Geometry, readFeatures } from './feature-collection.ts';
import { geometryBlob, withGeoPackage } from './geopackage.ts';
import { wellKnownBinary } from './well-known-binary.ts';

const folder = mkdtempSync(join(tmpdir(), 'pawl-geopackage-test-'));
after(() => rmSync(folder, { recursive: true, force: true }));

function collectionOf(...features: readonly [Geometry | null, object?, string?][]): object {
  return {
    type: 'FeatureCollection',
    features: features.map(([geometry, properties = {}, id]) => {
      return { type: 'Feature', geometry, properties, ...(id === undefined ? {} : { id }) };
    }),
  };
}

async function written(name: string, collection: object, table = 'places'): Promise<string> {
  const features = readFeatures(collection);
  const path = join(folder, `${name}.gpkg`);
  const at = new Date('2026-11-18T08:00:00Z');
  await withGeoPackage({ table, features, at }, async (file) => cpSync(file.path, path));
  return path;
}

const POLYGON: Geometry = {
  type: 'Polygon',
  coordinates: [
    [
      [7, 50],
      [9, 50],
      [9, 51],
      [7, 50],
    ],
  ],
};
const EVERY: readonly Geometry[] = [
  { type: 'Point', coordinates: [7, 50.5] },
  { type: 'Point', coordinates: [7, 50.5, 120] },
  { type: 'Point', coordinates: [] },
  {
    type: 'MultiPoint',
    coordinates: [
      [1, 2],
      [3, 4],
    ],
  },
  {
    type: 'LineString',
    coordinates: [
      [1, 2],
      [3, 4, 5],
    ],
  },
  {
    type: 'MultiLineString',
    coordinates: [
      [
        [1, 2],
        [3, 4],
      ],
    ],
  },
  POLYGON,
  { type: 'MultiPolygon', coordinates: [POLYGON.type === 'Polygon' ? POLYGON.coordinates : []] },
  { type: 'GeometryCollection', geometries: [{ type: 'Point', coordinates: [1, 2] }, POLYGON] },
];

test('a file is a GeoPackage: its marks, its tables, and one table of features', async () => {
  const collection = collectionOf(
    [{ type: 'Point', coordinates: [7, 50] }, { name: 'a', size: 1, big: true }, 'x1'],
    [{ type: 'Point', coordinates: [9, 51] }, { name: 'ü', size: 1.5, more: { deep: [1] } }, 'x2'],
    [null, { name: null }],
  );
  const path = await written('marks', collection);
  assert.equal(readFileSync(path).subarray(68, 72).toString(), 'GPKG');
  const database = new DatabaseSync(path, { readOnly: true });
  const all = (sql: string): unknown[] =>
    database
      .prepare(sql)
      .all()
      .map((row) => ({ ...row }));
  assert.deepEqual(all('PRAGMA user_version'), [{ user_version: 10300 }]);
  assert.deepEqual(all('PRAGMA integrity_check'), [{ integrity_check: 'ok' }]);
  assert.deepEqual(all('PRAGMA foreign_key_check'), []);
  assert.deepEqual(all('SELECT srs_id FROM gpkg_spatial_ref_sys ORDER BY srs_id'), [
    { srs_id: -1 },
    { srs_id: 0 },
    { srs_id: 4326 },
  ]);
  const [contents] = all('SELECT * FROM gpkg_contents') as Record<string, unknown>[];
  assert.deepEqual(
    [contents!['table_name'], contents!['data_type'], contents!['min_x'], contents!['max_y']],
    ['places', 'features', 7, 51],
  );
  assert.deepEqual(all('SELECT geometry_type_name, srs_id, z, m FROM gpkg_geometry_columns'), [
    { geometry_type_name: 'POINT', srs_id: 4326, z: 0, m: 0 },
  ]);
  assert.deepEqual(all('SELECT fid, feature_id, name, size, big, more FROM places'), [
    { fid: 1, feature_id: 'x1', name: 'a', size: 1, big: 1, more: null },
    { fid: 2, feature_id: 'x2', name: 'ü', size: 1.5, big: null, more: '{"deep":[1]}' },
    { fid: 3, feature_id: null, name: null, size: null, big: null, more: null },
  ]);
  database.close();
});

test('properties keep their names, whatever the table would call its own columns', async () => {
  const point: Geometry = { type: 'Point', coordinates: [1, 2] };
  const properties = { fid: 'f', GEOM: 'g', a: 1, A: 2, 'x"y': 3, '': 4 };
  const path = await written('names', collectionOf([point, properties]), 'gpkg_contents');
  const database = new DatabaseSync(path, { readOnly: true });
  const [row] = database.prepare('SELECT * FROM features_gpkg_contents').all();
  const { geom_2: blob, ...rest } = { ...row };
  assert.ok(blob instanceof Uint8Array);
  const names = { fid_2: 1, fid: 'f', GEOM: 'g', a: 1, A_2: 2, 'x"y': 3, property: 4 };
  assert.deepEqual(rest, names);
  database.close();
});

test('a geometry has the header of the format, its envelope, and well-known binary', () => {
  const blob = geometryBlob({ type: 'Point', coordinates: [1, 2] });
  assert.equal(blob.subarray(0, 4).toString('hex'), '47500003');
  assert.equal(blob.readInt32LE(4), 4326);
  assert.deepEqual(
    [8, 16, 24, 32].map((at) => blob.readDoubleLE(at)),
    [1, 1, 2, 2],
  );
  assert.equal(blob.subarray(40).toString('hex'), '0101000000000000000000f03f0000000000000040');
  assert.equal(geometryBlob({ type: 'Point', coordinates: [] })[3], 0b10001);
  const high = wellKnownBinary({ type: 'Point', coordinates: [1, 2, 3] });
  assert.deepEqual([high.readUInt32LE(1), high.byteLength], [1001, 29]);
});

test('what is no features is refused, with where it is wrong', () => {
  const point = { type: 'Feature', geometry: { type: 'Point', coordinates: [1] }, properties: {} };
  const cases: [unknown, RegExp][] = [
    [null, /not a FeatureCollection/],
    [{ type: 'FeatureCollection' }, /not a FeatureCollection/],
    [{ type: 'FeatureCollection', features: [{}] }, /\/features\/0 is not a Feature/],
    [{ type: 'FeatureCollection', features: [point] }, /\/features\/0 has a geometry/],
    [
      { ...collectionOf(), crs: { type: 'name', properties: { name: 'EPSG:25832' } } },
      /reference system "EPSG:25832"/,
    ],
  ];
  for (const [value, why] of cases) {
    assert.throws(
      () => readFeatures(value),
      (error: Error) => {
        return error instanceof FeatureFault && why.test(error.message);
      },
    );
  }
  const crs = { type: 'name', properties: { name: 'urn:ogc:def:crs:OGC:1.3:CRS84' } };
  assert.deepEqual(readFeatures({ ...collectionOf(), crs }), []);
});

const hasGdal = spawnSync('ogrinfo', ['--version']).status === 0;

test(
  'GDAL reads every kind of geometry from it, and an empty table',
  { skip: hasGdal ? false : 'ogrinfo is not installed (Debian: gdal-bin)' },
  async () => {
    const collection = collectionOf(
      ...EVERY.map((geometry): [Geometry, object] => [geometry, { kind: geometry.type }]),
    );
    const paths = [await written('every', collection), await written('none', collectionOf())];
    const [every, none] = paths.map((path) => {
      return spawnSync('ogrinfo', ['-al', path], { encoding: 'utf8' });
    });
    assert.deepEqual([every!.status, every!.stderr, none!.stderr], [0, '', '']);
    assert.match(every!.stdout, /Feature Count: 9/);
    assert.match(every!.stdout, /kind: String/);
    assert.match(every!.stdout, /POINT Z \(7(\.0)? 50.5 120\)/);
    assert.match(every!.stdout, /POLYGON \(\(7 50,9 50,9 51,7 50\)\)/);
    assert.match(every!.stdout, /LINESTRING Z \(1 2 0,3 4 5\)/);
    assert.match(every!.stdout, /POINT EMPTY/);
    assert.match(every!.stdout, /GEOMETRYCOLLECTION \(POINT \(1 2\),POLYGON/);
    assert.match(every!.stdout, /ID\["EPSG",4326\]/);
    assert.match(none!.stdout, /Feature Count: 0/);
  },
);
