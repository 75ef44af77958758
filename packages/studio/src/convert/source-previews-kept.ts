import { isHeeded, type RunContext } from 'pawl/define';
import type { SourceType } from '../deck/deck.ts';
import type { SourceOptions } from './draft.ts';
import { openSourceDrawing } from './source-previews.ts';

/** Pictures of the source itself, so that a faithful preview never hides a lossy deck. */
export interface SourcePreviews {
  /** The program that drew them; null where none could. */
  readonly drawnBy: string | null;
  /** Ids of artifacts, one a page. Slides of a presentation have the same numbers. */
  readonly images: readonly string[];
  /** Why there are none, or why not all. */
  readonly missing?: string;
}

interface Source {
  readonly bytes: Uint8Array;
  readonly options: SourceOptions & { readonly type: SourceType };
}

type Opened = Awaited<ReturnType<typeof openSourceDrawing>>;

/** Draws the pages of a source, each kept when it is done. */
export async function keepSourcePreviews(
  { artifact, once, signal }: Pick<RunContext<unknown>, 'artifact' | 'once' | 'signal'>,
  { bytes, options }: Source,
): Promise<SourcePreviews> {
  const drawing = await unless(signal, () => openSourceDrawing(bytes, options));
  if ('missing' in drawing) return { drawnBy: null, images: [], missing: drawing.missing };
  const { drawnBy } = drawing;
  const images: string[] = [];
  try {
    for (let index = 0; index < drawing.pages; index++) {
      signal.throwIfAborted();
      const kept = await once(`source:${index}`, async () => {
        const png = await unless(signal, () => drawing.draw(index));
        if ('missing' in png) return png;
        const name = `source/${String(index + 1).padStart(4, '0')}.png`;
        return (await artifact(name, png, { contentType: 'image/png' })).id;
      });
      if (typeof kept !== 'string') return { drawnBy, images, missing: kept.missing };
      images.push(kept);
    }
  } finally {
    await drawing.close();
  }
  return { drawnBy, images };
}

/** What fails here is only said: the conversion itself has succeeded. */
async function unless<Made extends Opened | Buffer>(
  signal: AbortSignal,
  make: () => Promise<Made>,
): Promise<Made | { readonly missing: string }> {
  try {
    return await make();
  } catch (error) {
    if (isHeeded(error, signal)) throw error;
    return { missing: error instanceof Error ? error.message.slice(0, 200) : String(error) };
  }
}
