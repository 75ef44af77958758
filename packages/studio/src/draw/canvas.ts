import type { Canvas, Image } from '@napi-rs/canvas';
import type { Deck, Slide } from '../deck/deck.ts';
import { CanvasPen } from './canvas-pen.ts';
import type { Notice } from './notice.ts';
import { paintSlide } from './paint-slide.ts';
import { openTypesetter } from './typeset.ts';

/** Gives the bytes of an asset. */
export type ReadAsset = (asset: string) => Promise<Uint8Array>;

/** A picture of a slide, and what it could not show as the deck says. */
export interface Preview {
  readonly png: Uint8Array;
  readonly notices: readonly Notice[];
}

const PREVIEW_WIDTH = 960;

/** Draws slides of a deck as PNG, each with the images it shows. */
export async function openPreviews(
  deck: Deck,
  readAsset: ReadAsset,
): Promise<(slide: Slide) => Promise<Preview>> {
  const typesetter = await openTypesetter();
  const { createCanvas, loadImage } = typesetter.canvas;
  const scale = PREVIEW_WIDTH / deck.size.width;
  return async (slide) => {
    const images = new Map<string, Image>();
    for (const block of slide.blocks) {
      if (block.kind !== 'image' || images.has(block.asset)) continue;
      try {
        images.set(block.asset, await loadImage(Buffer.from(await readAsset(block.asset))));
      } catch (error) {
        // An image that its own decoder refuses is drawn as an empty frame; the deck keeps it.
        if (!(error instanceof Error) || error.name === 'AbortError') throw error;
      }
    }
    typesetter.take();
    const canvas: Canvas = createCanvas(PREVIEW_WIDTH, Math.round(deck.size.height * scale));
    const context = canvas.getContext('2d');
    context.scale(scale, scale);
    paintSlide(new CanvasPen(context, images, typesetter), slide, deck, typesetter);
    const notices = typesetter.take();
    return { png: await canvas.encode('png'), notices };
  };
}
