import { type Geometry, isThreeDimensional, type Position } from './feature-collection.ts';

/** The numbers of geometries in well-known binary (ISO 13249-3); with a height 1,000 more. */
const CODES: Readonly<Record<Geometry['type'], number>> = {
  Point: 1,
  LineString: 2,
  Polygon: 3,
  MultiPoint: 4,
  MultiLineString: 5,
  MultiPolygon: 6,
  GeometryCollection: 7,
};

const WITH_HEIGHT = 1_000;
const LITTLE_ENDIAN = 1;

/** A geometry as bytes, in little endian. */
export function wellKnownBinary(geometry: Geometry): Buffer {
  const pieces: Buffer[] = [];
  write(pieces, geometry, isThreeDimensional(geometry));
  return Buffer.concat(pieces);
}

function write(pieces: Buffer[], geometry: Geometry, hasHeight: boolean): void {
  const head = Buffer.alloc(5);
  head.writeUInt8(LITTLE_ENDIAN, 0);
  head.writeUInt32LE(CODES[geometry.type] + (hasHeight ? WITH_HEIGHT : 0), 1);
  pieces.push(head);
  const part = (one: Geometry): void => write(pieces, one, hasHeight);
  switch (geometry.type) {
    case 'Point':
      return writePositions(pieces, [pointOf(geometry.coordinates)], hasHeight);
    case 'LineString':
      return writeLine(pieces, geometry.coordinates, hasHeight);
    case 'Polygon':
      return writeEach(pieces, geometry.coordinates, (ring) => writeLine(pieces, ring, hasHeight));
    case 'MultiPoint':
      return writeEach(pieces, geometry.coordinates, (coordinates) =>
        part({ type: 'Point', coordinates }),
      );
    case 'MultiLineString':
      return writeEach(pieces, geometry.coordinates, (coordinates) =>
        part({ type: 'LineString', coordinates }),
      );
    case 'MultiPolygon':
      return writeEach(pieces, geometry.coordinates, (coordinates) =>
        part({ type: 'Polygon', coordinates }),
      );
    case 'GeometryCollection':
      return writeEach(pieces, geometry.geometries, part);
  }
}

function writeEach<Part>(
  pieces: Buffer[],
  parts: readonly Part[],
  writePart: (part: Part) => void,
): void {
  pieces.push(count(parts.length));
  for (const part of parts) writePart(part);
}

function writeLine(pieces: Buffer[], line: readonly Position[], hasHeight: boolean): void {
  pieces.push(count(line.length));
  writePositions(pieces, line, hasHeight);
}

function writePositions(pieces: Buffer[], all: readonly Position[], hasHeight: boolean): void {
  const width = hasHeight ? 3 : 2;
  const bytes = Buffer.alloc(all.length * width * 8);
  for (const [index, position] of all.entries()) {
    for (let axis = 0; axis < width; axis++) {
      bytes.writeDoubleLE(position[axis] ?? 0, (index * width + axis) * 8);
    }
  }
  pieces.push(bytes);
}

/** Well-known binary has no other word for a point that is empty. */
function pointOf(position: Position): Position {
  return position.length === 0 ? [NaN, NaN, NaN] : position;
}

function count(length: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(length, 0);
  return bytes;
}
