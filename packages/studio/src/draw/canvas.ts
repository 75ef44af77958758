import type { Canvas, Image } from '@napi-rs/canvas';
import type { Deck, Slide } from '../deck/deck.ts';
import { CanvasPen } from './canvas-pen.ts';
import { ImageCache } from './image-cache.ts';
import type { Notice } from './notice.ts';
import { paintSlide } from './paint-slide.ts';
import { openTypesetter } from './typeset.ts';

/** Gives the bytes of an asset. */
export type ReadAsset = (asset: string) => Promise<Uint8Array>;

/** A picture of a slide, and what it could not show as the deck says. */
export interface Preview {
  readonly jpeg: Uint8Array;
  readonly notices: readonly Notice[];
}

const PREVIEW_WIDTH = 960;

/** Where letters still have clean edges; a PNG takes four times as long to encode. */
const QUALITY = 90;

/**
 * Draws slides of a deck as JPEG, each with the images it shows. Several can be asked for at once:
 * pixels are made and encoded in threads of the library.
 */
export async function openPreviews(
  deck: Deck,
  readAsset: ReadAsset,
): Promise<(slide: Slide) => Promise<Preview>> {
  const typesetter = await openTypesetter();
  const { createCanvas, loadImage } = typesetter.canvas;
  const cache = new ImageCache(loadImage, readAsset);
  const scale = PREVIEW_WIDTH / deck.size.width;
  const height = Math.round(deck.size.height * scale);
  /** Pixels outside of the heap: to make them anew for each slide keeps the collector busy. */
  const free: Canvas[] = [];
  return async (slide) => {
    const images = new Map<string, Image>();
    for (const block of slide.blocks) {
      if (block.kind !== 'image' || images.has(block.asset)) continue;
      // An image that its own decoder refuses is drawn as an empty frame; the deck keeps it.
      const image = await cache.open(block.asset);
      if (image !== null) images.set(block.asset, image);
    }
    // From here to the second `take` nothing waits, so that the notices are those of this slide.
    typesetter.take();
    const canvas = free.pop() ?? createCanvas(PREVIEW_WIDTH, height);
    const context = canvas.getContext('2d');
    context.reset();
    context.scale(scale, scale);
    paintSlide(new CanvasPen(context, images, typesetter), slide, deck, typesetter);
    const notices = typesetter.take();
    const jpeg = await canvas.encode('jpeg', QUALITY);
    free.push(canvas);
    return { jpeg, notices };
  };
}
