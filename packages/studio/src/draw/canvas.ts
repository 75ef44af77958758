import type * as CanvasPackage from '@napi-rs/canvas';
import type { Canvas, Image, SKRSContext2D } from '@napi-rs/canvas';
import type { Box, Deck, Slide } from '../deck/deck.ts';
import { FACE_NAMES, faceFile, faceName } from './face.ts';
import { optionalPackage } from '../work/optional-package.ts';
import { paintSlide } from './paint-slide.ts';
import type { Ink, Measure, Part, Pen, Point } from './pen.ts';

let loaded: Promise<typeof CanvasPackage> | null = null;

/** The canvas with our fonts registered: only what is registered can be relied on. */
export function loadCanvas(): Promise<typeof CanvasPackage> {
  loaded ??= optionalPackage('@napi-rs/canvas', async () => {
    const canvas = await import('@napi-rs/canvas');
    for (const name of FACE_NAMES) canvas.GlobalFonts.registerFromPath(faceFile(name), name);
    return canvas;
  });
  loaded.catch(() => (loaded = null));
  return loaded;
}

/** Widths are measured at one size and scaled, so that each text is measured once. */
const MEASURED_AT = 100;
const KEPT_MAX = 50_000;

/** Measures text in our fonts. */
export async function openMeasure(): Promise<Measure> {
  const { createCanvas } = await loadCanvas();
  const context = createCanvas(1, 1).getContext('2d');
  const kept = new Map<string, number>();
  return (text, face, size) => {
    const name = faceName(face);
    const key = `${name} ${text}`;
    let wide = kept.get(key);
    if (wide === undefined) {
      if (kept.size > KEPT_MAX) kept.clear();
      context.font = `${MEASURED_AT}px "${name}"`;
      wide = context.measureText(text).width;
      kept.set(key, wide);
    }
    return (wide * size) / MEASURED_AT;
  };
}

/** Draws on pixels. */
class CanvasPen implements Pen {
  readonly #context: SKRSContext2D;
  readonly #images: ReadonlyMap<string, Image>;
  readonly #measure: Measure;

  constructor(context: SKRSContext2D, images: ReadonlyMap<string, Image>, measure: Measure) {
    this.#context = context;
    this.#images = images;
    this.#measure = measure;
  }

  part(_part: Part, paint: () => void): void {
    paint();
  }

  rectangle({ x, y, width, height }: Box, colour: string): void {
    this.#context.fillStyle = colour;
    this.#context.fillRect(x, y, width, height);
  }

  polygon(points: readonly Point[], colour: string): void {
    this.#trace(points);
    this.#context.closePath();
    this.#context.fillStyle = colour;
    this.#context.fill();
  }

  line(points: readonly Point[], colour: string, width: number): void {
    this.#trace(points);
    this.#context.strokeStyle = colour;
    this.#context.lineWidth = width;
    this.#context.lineJoin = 'round';
    this.#context.stroke();
  }

  text(text: string, [x, y]: Point, ink: Ink): void {
    this.#context.font = `${ink.size}px "${faceName(ink.face)}"`;
    this.#context.fillStyle = ink.colour;
    this.#context.fillText(text, x, y);
    const heights = [...(ink.underline ? [0.12] : []), ...(ink.strike ? [-0.28] : [])];
    const end = x + this.#measure(text.trimEnd(), ink.face, ink.size);
    for (const height of heights) {
      const at = y + ink.size * height;
      this.line(
        [
          [x, at],
          [end, at],
        ],
        ink.colour,
        Math.max(0.75, ink.size / 18),
      );
    }
  }

  image(asset: string, { x, y, width, height }: Box): void {
    const image = this.#images.get(asset);
    if (image === undefined) {
      this.rectangle({ x, y, width, height }, '#E5E7EB');
      return;
    }
    this.#context.drawImage(image, x, y, width, height);
  }

  #trace(points: readonly Point[]): void {
    this.#context.beginPath();
    points.forEach(([x, y], index) =>
      index === 0 ? this.#context.moveTo(x, y) : this.#context.lineTo(x, y),
    );
  }
}

/** Gives the bytes of an asset. */
export type ReadAsset = (asset: string) => Promise<Uint8Array>;

const PREVIEW_WIDTH = 960;

/** Draws slides of a deck as PNG, each with the images it shows. */
export async function openPreviews(
  deck: Deck,
  readAsset: ReadAsset,
): Promise<(slide: Slide) => Promise<Uint8Array>> {
  const { createCanvas, loadImage } = await loadCanvas();
  const measure = await openMeasure();
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
    const canvas: Canvas = createCanvas(PREVIEW_WIDTH, Math.round(deck.size.height * scale));
    const context = canvas.getContext('2d');
    context.scale(scale, scale);
    paintSlide(new CanvasPen(context, images, measure), slide, deck, measure);
    return canvas.encode('png');
  };
}
