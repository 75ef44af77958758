import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Column, columnsOf, columnValue, freeName } from './columns.ts';
import {
  type Extent,
  extentOf,
  type Feature,
  type Geometry,
  isThreeDimensional,
} from './feature-collection.ts';
import { wellKnownBinary } from './well-known-binary.ts';

/** OGC GeoPackage, 12-128r18. */
export const GEOPACKAGE_TYPE = 'application/geopackage+sqlite3';

/** "GPKG", by which files of the format are known, and version 1.3. */
const APPLICATION_ID = 0x47504b47;
const USER_VERSION = 10_300;

const WGS84 = 4_326;
const WGS84_DEFINITION =
  'GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563,' +
  'AUTHORITY["EPSG","7030"]],AUTHORITY["EPSG","6326"]],PRIMEM["Greenwich",0,' +
  'AUTHORITY["EPSG","8901"]],UNIT["degree",0.0174532925199433,AUTHORITY["EPSG","9122"]],' +
  'AUTHORITY["EPSG","4326"]]';

const TABLES = `
  CREATE TABLE gpkg_spatial_ref_sys (
    srs_name TEXT NOT NULL,
    srs_id INTEGER NOT NULL PRIMARY KEY,
    organization TEXT NOT NULL,
    organization_coordsys_id INTEGER NOT NULL,
    definition TEXT NOT NULL,
    description TEXT
  );
  CREATE TABLE gpkg_contents (
    table_name TEXT NOT NULL PRIMARY KEY,
    data_type TEXT NOT NULL,
    identifier TEXT UNIQUE,
    description TEXT DEFAULT '',
    last_change DATETIME NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ','now')),
    min_x DOUBLE,
    min_y DOUBLE,
    max_x DOUBLE,
    max_y DOUBLE,
    srs_id INTEGER,
    CONSTRAINT fk_gc_r_srs_id FOREIGN KEY (srs_id) REFERENCES gpkg_spatial_ref_sys(srs_id)
  );
  CREATE TABLE gpkg_geometry_columns (
    table_name TEXT NOT NULL,
    column_name TEXT NOT NULL,
    geometry_type_name TEXT NOT NULL,
    srs_id INTEGER NOT NULL,
    z TINYINT NOT NULL,
    m TINYINT NOT NULL,
    CONSTRAINT pk_geom_cols PRIMARY KEY (table_name, column_name),
    CONSTRAINT uk_gc_table_name UNIQUE (table_name),
    CONSTRAINT fk_gc_tn FOREIGN KEY (table_name) REFERENCES gpkg_contents(table_name),
    CONSTRAINT fk_gc_srs FOREIGN KEY (srs_id) REFERENCES gpkg_spatial_ref_sys(srs_id)
  );`;

/** A file that is there until the work with it is done. */
export interface GeoPackageFile {
  readonly path: string;
  readonly size: number;
}

/** Writes features to a GeoPackage of one table and hands the file to `use`; then it is gone. */
export async function withGeoPackage<Result>(
  { table, features, at }: { table: string; features: readonly Feature[]; at: Date },
  use: (file: GeoPackageFile) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'pawl-geopackage-'));
  try {
    const path = join(folder, 'features.gpkg');
    writeGeoPackage(path, { table, features, at });
    const { size } = await stat(path);
    return await use({ path, size });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** `table` is the name of the table; those that the format has itself begin with `gpkg_`. */
function writeGeoPackage(
  path: string,
  { table, features, at }: { table: string; features: readonly Feature[]; at: Date },
): void {
  const database = new DatabaseSync(path);
  try {
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
    database.exec(`PRAGMA user_version = ${USER_VERSION}`);
    database.exec('BEGIN');
    database.exec(TABLES);
    writeReferenceSystems(database);
    const name = /^(?:gpkg_|sqlite_|rtree_)/i.test(table) ? `features_${table}` : table;
    const columns = writeTable(database, name, features);
    writeContents(database, { name, features, at, geometryColumn: columns.geometry });
    database.exec('COMMIT');
  } finally {
    database.close();
  }
}

function writeReferenceSystems(database: DatabaseSync): void {
  const insert = database.prepare('INSERT INTO gpkg_spatial_ref_sys VALUES (?, ?, ?, ?, ?, ?)');
  insert.run('Undefined Cartesian SRS', -1, 'NONE', -1, 'undefined', 'undefined Cartesian');
  insert.run('Undefined geographic SRS', 0, 'NONE', 0, 'undefined', 'undefined geographic');
  insert.run('WGS 84 geodetic', WGS84, 'EPSG', WGS84, WGS84_DEFINITION, 'longitude and latitude');
}

interface TableColumns {
  readonly key: string;
  readonly geometry: string;
  /** Where features have ids of their own. */
  readonly featureId: string | null;
  readonly properties: readonly Column[];
}

/** Properties keep their names, and the table's own columns give way. */
function tableColumns(features: readonly Feature[]): TableColumns {
  const properties = columnsOf(features, []);
  const taken = new Set(properties.map(({ name }) => name.toLowerCase()));
  const take = (wish: string): string => {
    const name = freeName(wish, taken);
    taken.add(name.toLowerCase());
    return name;
  };
  const hasIds = features.some(({ id }) => id !== null);
  return {
    key: take('fid'),
    geometry: take('geom'),
    featureId: hasIds ? take('feature_id') : null,
    properties,
  };
}

function writeTable(
  database: DatabaseSync,
  table: string,
  features: readonly Feature[],
): TableColumns {
  const columns = tableColumns(features);
  const { key, geometry, featureId, properties } = columns;
  const definitions = [
    `${quoted(key)} INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL`,
    `${quoted(geometry)} ${geometryTypeOf(features)}`,
    ...(featureId === null ? [] : [`${quoted(featureId)} TEXT`]),
    ...properties.map(({ name, type }) => `${quoted(name)} ${type}`),
  ];
  database.exec(`CREATE TABLE ${quoted(table)} (${definitions.join(', ')})`);
  const names = [geometry, ...(featureId === null ? [] : [featureId])];
  const all = [...names, ...properties.map(({ name }) => name)];
  const insert = database.prepare(
    `INSERT INTO ${quoted(table)} (${all.map(quoted).join(', ')})
     VALUES (${all.map(() => '?').join(', ')})`,
  );
  for (const feature of features) {
    insert.run(
      feature.geometry === null ? null : geometryBlob(feature.geometry),
      ...(featureId === null ? [] : [feature.id]),
      ...properties.map(({ property, type }) => columnValue(feature.properties[property], type)),
    );
  }
  return columns;
}

function writeContents(
  database: DatabaseSync,
  written: { name: string; features: readonly Feature[]; at: Date; geometryColumn: string },
): void {
  const { name, features, at, geometryColumn } = written;
  const geometries = geometriesOf(features);
  const { min = [null, null], max = [null, null] } = extentOf(geometries) ?? {};
  const box = [...min, ...max] as (number | null)[];
  database
    .prepare('INSERT INTO gpkg_contents VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
    .run(name, 'features', name, '', at.toISOString(), ...box, WGS84);
  const high = geometries.filter(isThreeDimensional).length;
  // Prohibited, mandatory, optional.
  const z = high === 0 ? 0 : high === geometries.length ? 1 : 2;
  database
    .prepare('INSERT INTO gpkg_geometry_columns VALUES (?, ?, ?, ?, ?, 0)')
    .run(name, geometryColumn, geometryTypeOf(features), WGS84, z);
}

function geometriesOf(features: readonly Feature[]): Geometry[] {
  return features.flatMap(({ geometry }) => geometry ?? []);
}

/** One type where all features have it. */
function geometryTypeOf(features: readonly Feature[]): string {
  const types = new Set(geometriesOf(features).map(({ type }) => type));
  const [first] = types;
  return types.size === 1 ? first!.toUpperCase() : 'GEOMETRY';
}

/** GeoPackage's header, with the envelope where there is one, and the geometry behind it. */
export function geometryBlob(geometry: Geometry): Buffer {
  const extent: Extent | null = extentOf([geometry]);
  const head = Buffer.alloc(8 + (extent === null ? 0 : 32));
  head.write('GP', 0, 'ascii');
  // Little endian; an envelope of two axes; or an empty geometry without one.
  const flags = 0b1 | (extent === null ? 0b10000 : 0b10);
  head.writeUInt8(flags, 3);
  head.writeInt32LE(WGS84, 4);
  if (extent !== null) {
    const { min, max } = extent;
    const bounds = [min[0], max[0], min[1], max[1]];
    for (const [index, bound] of bounds.entries()) head.writeDoubleLE(bound, 8 + index * 8);
  }
  return Buffer.concat([head, wellKnownBinary(geometry)]);
}

function quoted(name: string): string {
  return `"${name.replaceAll('\0', '').replaceAll('"', '""')}"`;
}
