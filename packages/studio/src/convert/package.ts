import { posix } from 'node:path';
import { BOUNDS } from './bounds.ts';
import { type FoundImage, imageOf } from './image.ts';
import { refuse } from './refusal.ts';
import { attributeOf, childrenOf, openXml, type ParseXml, type XmlElement } from './xml.ts';
import { ZipFiles } from './zip.ts';

/** Where a part of an office file points to. */
export interface Relation {
  /** The last word of its type: `slide`, `image`, `hyperlink`. */
  readonly type: string;
  readonly target: string;
  readonly isExternal: boolean;
}

/** An office file: parts of XML that point to each other. */
export class OfficePackage {
  readonly #zip: ZipFiles;
  readonly #parse: ParseXml;
  readonly #kept: Map<string, XmlElement> = new Map();
  readonly #images: Map<string, FoundImage | null> = new Map();
  #imagesBytes = 0;

  constructor(zip: ZipFiles, parse: ParseXml) {
    this.#zip = zip;
    this.#parse = parse;
  }

  has(part: string): boolean {
    return this.#zip.has(part);
  }

  xml(part: string): XmlElement {
    return this.#parse(this.#zip.read(part, BOUNDS.xmlBytes), part);
  }

  /** For parts that many slides share; they stay in memory. */
  sharedXml(part: string): XmlElement {
    const kept = this.#kept.get(part) ?? this.xml(part);
    this.#kept.set(part, kept);
    return kept;
  }

  bytes(part: string): Uint8Array {
    return this.#zip.read(part, BOUNDS.imageBytes);
  }

  /** The image in a part; null for kinds that a deck does not know. */
  image(part: string): FoundImage | null {
    const kept = this.#images.get(part);
    if (kept !== undefined) return kept;
    const image = imageOf(this.bytes(part));
    const size = image?.bytes.byteLength ?? 0;
    if (this.#imagesBytes + size <= BOUNDS.keptImagesBytes) {
      this.#images.set(part, image);
      this.#imagesBytes += size;
    }
    return image;
  }

  /** What a part points to, by the ids it uses for it. */
  relationsOf(part: string): ReadonlyMap<string, Relation> {
    const folder = posix.dirname(part);
    const path = posix.join(folder, '_rels', `${posix.basename(part)}.rels`);
    if (!this.#zip.has(path)) return new Map();
    return new Map(
      childrenOf(this.xml(path), 'Relationship').map((one) => {
        const isExternal = attributeOf(one, 'TargetMode') === 'External';
        const target = attributeOf(one, 'Target') ?? '';
        const relation = {
          type: (attributeOf(one, 'Type') ?? '').split('/').at(-1)!,
          target: isExternal ? target : resolve(folder, target),
          isExternal,
        };
        return [attributeOf(one, 'Id') ?? '', relation] as const;
      }),
    );
  }

  /** The one part of a type that a part points to, or null. */
  related(part: string, type: string): string | null {
    const all = [...this.relationsOf(part).values()];
    const found = all.find((one) => one.type === type && !one.isExternal);
    return found !== undefined && this.#zip.has(found.target) ? found.target : null;
  }
}

function resolve(folder: string, target: string): string {
  const path = target.startsWith('/') ? target.slice(1) : posix.join(folder, target);
  if (path.startsWith('..')) {
    throw refuse('CONVERT_UNSAFE_CONTENT', 'a part points out of the file');
  }
  return path;
}

/** `r:id`, beside which there is a plain `id`. */
export function relationId(element: XmlElement): string {
  return element.getAttribute('r:id') ?? attributeOf(element, 'id') ?? '';
}

/** Opens an office file and finds its main part. */
export async function openPackage(
  bytes: Uint8Array,
): Promise<{ readonly office: OfficePackage; readonly main: string }> {
  const office = new OfficePackage(new ZipFiles(bytes), await openXml());
  const main = office.related('', 'officeDocument');
  if (main === null) throw refuse('CONVERT_CORRUPTED', 'the file has no main part');
  return { office, main };
}
