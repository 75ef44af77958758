// What hostile files are put together from.
import { readFileSync } from 'node:fs';
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import { SeededRandom } from 'pawl/internal/core/random';

export interface HostileFile {
  readonly what: string;
  readonly name: string;
  readonly bytes: Buffer;
}

export const fixture = (name: string): Buffer =>
  readFileSync(new URL(`../../../test/fixtures/documents/${name}`, import.meta.url));

type Parts = Record<string, Uint8Array>;

/** The presentation with some of its parts changed. */
export function pptxWith(change: (parts: Parts) => void, base = 'harbour.pptx'): Buffer {
  const parts: Parts = unzipSync(fixture(base));
  change(parts);
  return Buffer.from(zipSync(parts, { level: 6 }));
}

export const SLIDE = 'ppt/slides/slide2.xml';

export function withSlide(change: (xml: string) => string): Buffer {
  return pptxWith((parts) => (parts[SLIDE] = strToU8(change(strFromU8(parts[SLIDE]!)))));
}

/** The directory's entry of a part, changed in place: its sizes and flags need not be true. */
export function withEntry(zip: Buffer, part: string, change: (entry: Buffer) => void): Buffer {
  const name = zip.lastIndexOf(part);
  change(zip.subarray(name - 46, name));
  return zip;
}

export const SIZE_AT = 24;
export const FLAGS_AT = 8;

export const LAUGHS =
  '<!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">' +
  '<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;"><!ENTITY d "&c;&c;&c;&c;&c;&c;&c;&c;">]>';

export const cfb = (text: string): Buffer =>
  Buffer.concat([
    Buffer.from('d0cf11e0a1b11ae1', 'hex'),
    Buffer.alloc(1_024),
    Buffer.from(text, 'utf16le'),
    Buffer.alloc(512),
  ]);

export const zeros = (bytes: number): Buffer => Buffer.alloc(bytes);

export function noise(bytes: number, seed = 1): Buffer {
  const random = new SeededRandom(seed);
  return Buffer.from(Array.from({ length: bytes }, () => random.below(256)));
}

export function withImage(image: Buffer): Buffer {
  return pptxWith((parts) => {
    const path = Object.keys(parts).find((name) => name.startsWith('ppt/media/'))!;
    parts[path] = image;
  });
}

export function withRelation(target: string): Buffer {
  return pptxWith((parts) => {
    const path = 'ppt/slides/_rels/slide3.xml.rels';
    parts[path] = strToU8(
      strFromU8(parts[path]!).replace(/Target="[^"]*media[^"]*"/, `Target="${target}"`),
    );
  });
}

export function pdfOf(kids: string): string {
  return [
    '%PDF-1.4',
    '1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj',
    `2 0 obj<</Type/Pages/Kids[3 0 R] ${kids}>>endobj`,
    '3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]>>endobj',
    'trailer<</Root 1 0 R>>',
    '%%EOF',
  ].join('\n');
}

export function circlePdf(): Buffer {
  return Buffer.from(pdfOf('/Count 1').replace('Kids[3 0 R]', 'Kids[2 0 R]'));
}
