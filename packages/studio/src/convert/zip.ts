import { crc32, inflateRawSync } from 'node:zlib';
import { BOUNDS } from './bounds.ts';
import { corrupted, refuse } from './refusal.ts';

interface Entry {
  readonly method: number;
  readonly packed: number;
  readonly size: number;
  readonly crc: number;
  readonly at: number;
}

const END = 0x06054b50;
const CENTRAL = 0x02014b50;
const LOCAL = 0x04034b50;
const END_BYTES = 22;
const ENCRYPTED = 1;

/** The files of a ZIP, unpacked one by one when asked for, and never beyond the bounds. */
export class ZipFiles {
  readonly #bytes: Buffer;
  readonly #entries: ReadonlyMap<string, Entry>;
  readonly #counted: Set<string> = new Set();
  #unpacked = 0;
  #unpackedAgain = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    try {
      this.#entries = readDirectory(this.#bytes);
    } catch (error) {
      throw corrupted(error, 'the ZIP directory cannot be read');
    }
  }

  get names(): readonly string[] {
    return [...this.#entries.keys()];
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  read(name: string, bytesMax: number): Buffer {
    const entry = this.#entries.get(name);
    if (entry === undefined) throw refuse('CONVERT_CORRUPTED', `the part ${name} is missing`);
    const packed = this.#packedOf(name, entry);
    const isAgain = this.#counted.has(name);
    const left = isAgain
      ? BOUNDS.unpackedAgainBytes - this.#unpackedAgain
      : BOUNDS.unpackedBytes - this.#unpacked;
    const room = Math.min(
      bytesMax,
      left,
      Math.max(BOUNDS.unpackedFree, entry.packed * BOUNDS.unpackedRatio),
    );
    const tooLarge = `the part ${name} unpacks to more than ${Math.max(0, room)} bytes`;
    // What an entry says of its size is not to be believed: unpacking itself stops at the bound.
    if (entry.size > room) throw refuse('CONVERT_TOO_LARGE', tooLarge);
    const content = entry.method === 0 ? packed : inflate(packed, room, { name, tooLarge });
    if (content.byteLength > room) throw refuse('CONVERT_TOO_LARGE', tooLarge);
    if (isAgain) this.#unpackedAgain += content.byteLength;
    else this.#unpacked += content.byteLength;
    this.#counted.add(name);
    if (crc32(content) !== entry.crc) {
      throw refuse('CONVERT_CORRUPTED', `the part ${name} does not match its checksum`);
    }
    return content;
  }

  #packedOf(name: string, { at, packed }: Entry): Buffer {
    const bytes = this.#bytes;
    if (at + 30 > bytes.length || bytes.readUInt32LE(at) !== LOCAL) {
      throw refuse('CONVERT_CORRUPTED', `the part ${name} is not where the directory says`);
    }
    const start = at + 30 + bytes.readUInt16LE(at + 26) + bytes.readUInt16LE(at + 28);
    if (start + packed > bytes.length) {
      throw refuse('CONVERT_CORRUPTED', `the part ${name} is cut off`);
    }
    return bytes.subarray(start, start + packed);
  }
}

function inflate(
  packed: Buffer,
  room: number,
  { name, tooLarge }: { name: string; tooLarge: string },
): Buffer {
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, room) });
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'ERR_BUFFER_TOO_LARGE') throw refuse('CONVERT_TOO_LARGE', tooLarge, error);
    throw corrupted(error, `the part ${name} cannot be unpacked`);
  }
}

function readDirectory(bytes: Buffer): Map<string, Entry> {
  const end = findEnd(bytes);
  const count = bytes.readUInt16LE(end + 10);
  let at = bytes.readUInt32LE(end + 16);
  if (count > BOUNDS.zipEntries || at === 0xffffffff) {
    throw refuse('CONVERT_TOO_LARGE', `the file has more than ${BOUNDS.zipEntries} parts`);
  }
  const entries = new Map<string, Entry>();
  for (let index = 0; index < count; index++) {
    if (bytes.readUInt32LE(at) !== CENTRAL) throw new Error(`entry ${index} is none`);
    const nameLength = bytes.readUInt16LE(at + 28);
    const name = bytes.toString('utf8', at + 46, at + 46 + nameLength);
    const method = bytes.readUInt16LE(at + 10);
    checkName(name);
    if (entries.has(name)) throw new Error(`${name} appears twice`);
    if ((bytes.readUInt16LE(at + 8) & ENCRYPTED) !== 0) {
      throw refuse('CONVERT_PASSWORD_PROTECTED', `the part ${name} is encrypted`);
    }
    if (method !== 0 && method !== 8) throw new Error(`${name} is packed in an unknown way`);
    entries.set(name, {
      method,
      crc: bytes.readUInt32LE(at + 16),
      packed: bytes.readUInt32LE(at + 20),
      size: bytes.readUInt32LE(at + 24),
      at: bytes.readUInt32LE(at + 42),
    });
    at += 46 + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  return entries;
}

function findEnd(bytes: Buffer): number {
  const last = bytes.length - END_BYTES;
  for (let at = last; at >= Math.max(0, last - 0xffff); at--) {
    if (bytes.readUInt32LE(at) === END) return at;
  }
  throw new Error('its end is missing');
}

/** Nothing is ever written under such a name, but whoever made it up meant harm. */
function checkName(name: string): void {
  const isWild =
    name.startsWith('/') ||
    name.includes('\\') ||
    name.includes('\0') ||
    /^[A-Za-z]:/.test(name) ||
    name.split('/').includes('..');
  if (isWild) throw refuse('CONVERT_UNSAFE_CONTENT', 'a part’s name leads out of the file');
}
