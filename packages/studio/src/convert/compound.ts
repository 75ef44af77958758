import { refuse } from './refusal.ts';

const FREE = 0xfffffffa;
const ENTRY_BYTES = 128;
const STREAM = 2;
const IN_HEADER = 109;

/** The files that older office programs keep in one, read by name and never beyond its bytes. */
export class CompoundFile {
  readonly #bytes: Buffer;
  readonly #sector: number;
  readonly #fat: readonly number[];
  readonly #directory: Buffer;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const shift = this.#bytes.length < 512 ? 0 : this.#bytes.readUInt16LE(0x1e);
    if (shift !== 9 && shift !== 12) throw broken();
    this.#sector = 2 ** shift;
    this.#fat = this.#table();
    this.#directory = this.#chain(this.#bytes.readUInt32LE(0x30), this.#fat);
  }

  /** A file by its name, or null. */
  read(name: string): Buffer | null {
    const entry = this.#entry((text, type) => text === name && type === STREAM);
    if (entry === null) return null;
    const start = entry.readUInt32LE(116);
    const size = entry.readUInt32LE(120);
    // Small ones lie together in the file of the root.
    const isSmall = size < this.#bytes.readUInt32LE(0x38);
    const content = isSmall ? this.#small(start) : this.#chain(start, this.#fat);
    if (content.length < size) throw broken();
    return content.subarray(0, size);
  }

  #entry(matches: (name: string, type: number) => boolean): Buffer | null {
    const directory = this.#directory;
    for (let at = 0; at + ENTRY_BYTES <= directory.length; at += ENTRY_BYTES) {
      const entry = directory.subarray(at, at + ENTRY_BYTES);
      const length = Math.min(64, Math.max(2, entry.readUInt16LE(64)));
      if (matches(entry.toString('utf16le', 0, length - 2), entry[66]!)) return entry;
    }
    return null;
  }

  #small(start: number): Buffer {
    const root = this.#entry((_, type) => type === 5);
    if (root === null) throw broken();
    const all = this.#chain(root.readUInt32LE(116), this.#fat);
    const table = this.#chain(this.#bytes.readUInt32LE(0x3c), this.#fat);
    const size = 2 ** this.#bytes.readUInt16LE(0x20);
    const next = numbersOf(table);
    return Buffer.concat(
      chainOf(start, next).map((index) => all.subarray(index * size, (index + 1) * size)),
    );
  }

  /** Which sector follows which. */
  #table(): number[] {
    const bytes = this.#bytes;
    const sectors: number[] = [];
    for (let index = 0; index < IN_HEADER; index++) {
      const sector = bytes.readUInt32LE(0x4c + index * 4);
      if (sector < FREE) sectors.push(sector);
    }
    const perSector = this.#sector / 4 - 1;
    let more = bytes.readUInt32LE(0x44);
    for (let count = bytes.readUInt32LE(0x48); count > 0 && more < FREE; count--) {
      const list = numbersOf(this.#at(more));
      sectors.push(...list.slice(0, perSector).filter((sector) => sector < FREE));
      if (sectors.length * this.#sector > bytes.length) throw broken();
      more = list[perSector] ?? FREE;
    }
    return sectors.flatMap((sector) => numbersOf(this.#at(sector)));
  }

  #at(sector: number): Buffer {
    const from = (sector + 1) * this.#sector;
    if (from + this.#sector > this.#bytes.length + this.#sector - 1) throw broken();
    return this.#bytes.subarray(from, from + this.#sector);
  }

  #chain(start: number, next: readonly number[]): Buffer {
    return Buffer.concat(chainOf(start, next).map((sector) => this.#at(sector)));
  }
}

function numbersOf(bytes: Buffer): number[] {
  return Array.from({ length: bytes.length >> 2 }, (_, index) => bytes.readUInt32LE(index * 4));
}

/** Sectors in their order; one that leads back would never end. */
function chainOf(start: number, next: readonly number[]): number[] {
  const chain: number[] = [];
  for (let at = start; at < FREE; at = next[at]!) {
    if (at >= next.length || chain.length > next.length) throw broken();
    chain.push(at);
  }
  return chain;
}

function broken(): Error {
  return refuse('CONVERT_CORRUPTED', 'the file in which an office program keeps others is broken');
}
