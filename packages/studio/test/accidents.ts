// Valid files with accidents in them, each from its seed.
import { SeededRandom } from 'pawl/internal/core/random';
import { fixture, type HostileFile, noise, pptxWith } from './hostile-parts.ts';

const BASES = [
  'harbour.pptx',
  'harbour.pdf',
  'harbour-tagged.pdf',
  'lighthouse.docx',
  'lighthouse.html',
] as const;

/** Valid files with accidents of one kind or another, each from its seed. */
export function mutated(seeds: readonly number[]): HostileFile[] {
  return seeds.map((seed) => {
    const random = new SeededRandom(seed + 1);
    const name = BASES[seed % BASES.length]!;
    const isOffice = /\.(pptx|docx)$/.test(name);
    const bytes = isOffice && seed % 2 === 0 ? inside(name, random) : hurt(fixture(name), random);
    return { what: `${name} with accident ${seed}`, name, bytes };
  });
}

/** The accident happens before the file is packed, past all checksums. */
function inside(name: string, random: SeededRandom): Buffer {
  return pptxWith((parts) => {
    const path = random.pick(Object.keys(parts));
    parts[path] = hurt(Buffer.from(parts[path]!), random);
  }, name);
}

function hurt(original: Buffer, random: SeededRandom): Buffer {
  const bytes = Buffer.from(original);
  if (bytes.length < 2) return bytes;
  const at = random.below(bytes.length);
  const length = 1 + random.below(Math.min(400, bytes.length - at));
  switch (random.below(6)) {
    case 0:
      return bytes.subarray(0, at);
    case 1:
      return bytes.fill(0, at, at + length);
    case 2:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)]);
    case 3:
      return Buffer.concat([bytes.subarray(0, at + length), bytes.subarray(at)]);
    case 4:
      return Buffer.concat([bytes.subarray(0, at), noise(length, at), bytes.subarray(at)]);
    default:
      for (let flips = 1 + random.below(40); flips > 0; flips--) {
        bytes[random.below(bytes.length)] = random.below(256);
      }
      return bytes;
  }
}
