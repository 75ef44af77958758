import type { Slide, SourceType } from '../deck/deck.ts';
import { BOUNDS } from '../convert/bounds.ts';
import { normaliseSlide } from '../convert/normalise.ts';
import { openSource } from '../convert/open-source.ts';
import { type SourceHints, sourceTypeOf } from '../convert/sniff.ts';
import type { RunContext } from 'pawl/define';
import { readArtifact } from './read-deck.ts';

/** A file that was read: its pages as slides, without their images. */
export interface ReadSource {
  readonly type: SourceType;
  readonly title: string;
  readonly slides: readonly Slide[];
}

/** Reads a file of any kind that can be converted. Files come from anywhere: not in the server. */
export async function readSource(
  bytes: Uint8Array,
  hints: SourceHints,
  report: (done: number, message: string) => void = () => undefined,
): Promise<ReadSource> {
  const type = sourceTypeOf(bytes, hints);
  const reader = await openSource(bytes, { type, name: hints.name ?? null });
  try {
    const { title, slides: count, theme } = reader.found;
    const slides: Slide[] = [];
    for (let index = 0; index < count; index++) {
      const { draft } = await reader.slide(index);
      slides.push(normaliseSlide(draft, index, theme));
      report((index + 1) / count, `page ${index + 1} of ${count}`);
    }
    return { type, title, slides };
  } finally {
    await reader.close();
  }
}

/** The same of an artifact. */
export async function readSourceArtifact(
  context: Pick<RunContext<unknown>, 'openArtifact'>,
  assetRef: string,
  report?: (done: number, message: string) => void,
): Promise<ReadSource> {
  const { bytes, name, contentType } = await readArtifact(context, assetRef, BOUNDS.sourceBytes);
  return readSource(bytes, { name, contentType }, report);
}
