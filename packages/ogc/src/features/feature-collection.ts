/** A geometry of GeoJSON (RFC 7946), its coordinates checked. */
export type Geometry =
  | { readonly type: 'Point'; readonly coordinates: Position }
  | { readonly type: 'LineString' | 'MultiPoint'; readonly coordinates: readonly Position[] }
  | {
      readonly type: 'Polygon' | 'MultiLineString';
      readonly coordinates: readonly (readonly Position[])[];
    }
  | {
      readonly type: 'MultiPolygon';
      readonly coordinates: readonly (readonly (readonly Position[])[])[];
    }
  | { readonly type: 'GeometryCollection'; readonly geometries: readonly Geometry[] };

/** Two or three numbers; none in a point that is empty. */
export type Position = readonly number[];

export interface Feature {
  readonly id: string | null;
  readonly geometry: Geometry | null;
  readonly properties: Readonly<Record<string, unknown>>;
}

/** What is wrong with features, and where. */
export class FeatureFault extends Error {
  override readonly name = 'FeatureFault';
}

/** How deeply arrays of coordinates are nested above their positions. */
const DEPTHS: Readonly<Record<string, number>> = {
  Point: 0,
  MultiPoint: 1,
  LineString: 1,
  MultiLineString: 2,
  Polygon: 2,
  MultiPolygon: 3,
};

/** Geometries within geometries, in data that nobody made by hand. */
const NESTED_MAX = 16;

const CRS84 = /(?:CRS84|EPSG(?:::?|\/0\/|:)4326)$/i;

type Members = Readonly<Record<string, unknown>>;

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isFeatureCollection(value: unknown): value is Members {
  return isMembers(value) && value['type'] === 'FeatureCollection';
}

/** The features of a FeatureCollection; throws FeatureFault, which says what is wrong where. */
export function readFeatures(value: unknown): Feature[] {
  if (!isFeatureCollection(value) || !Array.isArray(value['features'])) {
    throw new FeatureFault('is not a FeatureCollection of GeoJSON');
  }
  refuseOtherCrs(value['crs']);
  return value['features'].map((one: unknown, index) => readFeature(one, `/features/${index}`));
}

/** Before RFC 7946 a collection could name another reference system. */
function refuseOtherCrs(crs: unknown): void {
  if (crs === undefined || crs === null) return;
  const { properties } = isMembers(crs) ? crs : {};
  const { name } = isMembers(properties) ? properties : {};
  if (typeof name === 'string' && CRS84.test(name)) return;
  throw new FeatureFault(
    `has the reference system ${JSON.stringify(name)}: only CRS84 can be kept`,
  );
}

function readFeature(value: unknown, at: string): Feature {
  if (!isMembers(value) || value['type'] !== 'Feature') {
    throw new FeatureFault(`${at} is not a Feature`);
  }
  const { id, geometry, properties } = value;
  return {
    id: typeof id === 'string' || typeof id === 'number' ? String(id) : null,
    geometry: geometry === null || geometry === undefined ? null : readGeometry(geometry, at),
    properties: isMembers(properties) ? properties : {},
  };
}

function readGeometry(value: unknown, at: string, nested = 0): Geometry {
  const { type, coordinates, geometries } = isMembers(value) ? value : {};
  if (type === 'GeometryCollection' && Array.isArray(geometries) && nested < NESTED_MAX) {
    return { type, geometries: geometries.map((one) => readGeometry(one, at, nested + 1)) };
  }
  const depth = DEPTHS[String(type)];
  if (depth === undefined || !isPositions(coordinates, depth)) {
    throw new FeatureFault(`${at} has a geometry that is none of GeoJSON`);
  }
  return { type, coordinates } as Geometry;
}

function isPositions(value: unknown, depth: number): boolean {
  if (!Array.isArray(value)) return false;
  if (depth > 0) return value.every((one) => isPositions(one, depth - 1));
  const isLong = value.length === 0 || value.length >= 2;
  return isLong && value.every((one) => typeof one === 'number' && Number.isFinite(one));
}

/** All positions of a geometry, one after another. */
export function* positionsOf(geometry: Geometry): Generator<Position> {
  if (geometry.type === 'GeometryCollection') {
    for (const one of geometry.geometries) yield* positionsOf(one);
  } else yield* nestedIn(geometry.coordinates, DEPTHS[geometry.type]!);
}

function* nestedIn(value: unknown, depth: number): Generator<Position> {
  if (depth > 0) for (const one of value as unknown[]) yield* nestedIn(one, depth - 1);
  else if ((value as Position).length > 0) yield value as Position;
}

/** Whether a geometry has a height. One that has it at some positions has 0 at the others. */
export function isThreeDimensional(geometry: Geometry): boolean {
  for (const position of positionsOf(geometry)) if (position.length > 2) return true;
  return false;
}

export interface Extent {
  readonly min: readonly [number, number];
  readonly max: readonly [number, number];
}

/** Null where there is no position at all. */
export function extentOf(geometries: Iterable<Geometry>): Extent | null {
  let [minX, minY, maxX, maxY] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const geometry of geometries) {
    for (const [x = 0, y = 0] of positionsOf(geometry)) {
      minX = Math.min(minX, x);
      minY = Math.min(minY, y);
      maxX = Math.max(maxX, x);
      maxY = Math.max(maxY, y);
    }
  }
  return minX === Infinity ? null : { min: [minX, minY], max: [maxX, maxY] };
}
