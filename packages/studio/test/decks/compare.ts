// How much of the ink of two pictures lies in the same places, in the same colours.
import { type Canvas, createCanvas, type Image, loadImage } from '@napi-rs/canvas';

/** Small enough that letters of another font of the same size are the same grey. */
const WIDTH = 160;

interface Picture {
  readonly pixels: Uint8ClampedArray;
  readonly height: number;
}

async function small(bytes: Buffer | string, height: number | null): Promise<Picture> {
  const image = await loadImage(bytes);
  const high = height ?? Math.round((image.height * WIDTH) / image.width);
  // By halves: what is scaled at once skips pixels.
  let source: Image | Canvas = image;
  for (let width = image.width / 2; width > WIDTH; width /= 2) {
    const half = createCanvas(Math.round(width), Math.round((image.height * width) / image.width));
    pen(half).drawImage(source, 0, 0, half.width, half.height);
    source = half;
  }
  const canvas = createCanvas(WIDTH, high);
  const context = pen(canvas);
  context.fillStyle = '#FFFFFF';
  context.fillRect(0, 0, WIDTH, high);
  context.drawImage(source, 0, 0, WIDTH, high);
  return { pixels: context.getImageData(0, 0, WIDTH, high).data, height: high };
}

function pen(canvas: Canvas) {
  const context = canvas.getContext('2d');
  context.imageSmoothingEnabled = true;
  context.imageSmoothingQuality = 'high';
  return context;
}

/** The colour that most of a picture has; all else is ink. */
function groundOf({ pixels }: Picture): readonly [number, number, number] {
  const counts = new Map<number, number>();
  for (let at = 0; at < pixels.length; at += 4) {
    const [red, green, blue] = [0, 1, 2].map((channel) => pixels[at + channel]! >> 3);
    const key = red! * 1_024 + green! * 32 + blue!;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const [key] = [...counts].reduce((most, one) => (one[1] > most[1] ? one : most));
  return [(key >> 10) * 8 + 4, ((key >> 5) & 31) * 8 + 4, (key & 31) * 8 + 4];
}

/**
 * 1 where all ink is alike, 0 where none is: how far each pixel of ink is from the most alike of
 * the nine at its place in the other picture (6 of 960 pixels to each side), beside how far it is
 * from the ground; both ways. Empty ground, which is easily alike, counts for nothing.
 */
export async function inkSimilarity(reference: string, drawn: Buffer): Promise<number> {
  const one = await small(reference, null);
  const other = await small(drawn, one.height);
  const ground = groundOf(one);
  let ink = 0;
  let different = 0;
  const [a, b] = [smoothed(one), smoothed(other)];
  for (const [from, to] of [
    [a, b],
    [b, a],
  ] as const) {
    for (let at = 0; at < from.length; at++) {
      const own = Math.abs(from[at]! - ground[at % 4]!);
      // What is nearly ground is ground: compression and rounding are no ink.
      if (at % 4 === 3 || own < 10) continue;
      ink += own;
      different += Math.min(own, nearest(from[at]!, { picture: to, at, height: one.height }));
    }
  }
  return ink === 0 ? 1 : 1 - different / ink;
}

/** How far a value is from the most alike of the pixels around its place in the other picture. */
function nearest(
  value: number,
  { picture, at, height }: { picture: Float32Array; at: number; height: number },
): number {
  const channel = at % 4;
  const x = ((at - channel) / 4) % WIDTH;
  const y = Math.floor((at - channel) / 4 / WIDTH);
  let least = Infinity;
  for (let py = Math.max(0, y - 1); py <= Math.min(height - 1, y + 1); py++) {
    for (let px = Math.max(0, x - 1); px <= Math.min(WIDTH - 1, x + 1); px++) {
      least = Math.min(least, Math.abs(value - picture[(py * WIDTH + px) * 4 + channel]!));
    }
  }
  return least;
}

/** Each pixel as the mean of its neighbours: a line may lie a pixel beside itself. */
function smoothed({ pixels, height }: Picture): Float32Array {
  const result = new Float32Array(pixels.length);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < WIDTH; x++) {
      for (let channel = 0; channel < 3; channel++) {
        let sum = 0;
        let count = 0;
        for (let dy = -1; dy <= 1; dy++) {
          for (let dx = -1; dx <= 1; dx++) {
            const [px, py] = [x + dx, y + dy];
            if (px < 0 || py < 0 || px >= WIDTH || py >= height) continue;
            sum += pixels[(py * WIDTH + px) * 4 + channel]!;
            count += 1;
          }
        }
        result[(y * WIDTH + x) * 4 + channel] = sum / count;
      }
    }
  }
  return result;
}
