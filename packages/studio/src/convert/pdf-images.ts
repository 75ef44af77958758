import type { Ledger } from '../deck/losses.ts';
import type { Origin } from '../deck/deck.ts';
import { openTypesetter } from '../draw/typeset.ts';
import { BOUNDS } from './bounds.ts';
import { type FoundImage, imageOf } from './image.ts';
import type { PaintedImage } from './pdf-drawing.ts';
import type { PdfImage, PdfPage } from './pdf-library.ts';
import type { RegionBox } from './pdf-region.ts';

/** Smaller ones are ornaments and shadows. */
const SIDE_MIN = 12;
const IMAGES_MAX = 60;

export interface PlacedImage {
  readonly image: FoundImage;
  readonly box: RegionBox;
}

/** The images that a page paints, each once; what is not kept goes to the ledger. */
export async function pageImages(
  page: PdfPage,
  painted: readonly PaintedImage[],
  { ledger, origin }: { readonly ledger: Ledger; readonly origin: Origin },
): Promise<PlacedImage[]> {
  const found: PlacedImage[] = [];
  const seen = new Set<unknown>();
  const drop = (code: 'IMAGE_ORNAMENT_DROPPED' | 'IMAGE_FORMAT_DROPPED', what: string): void =>
    ledger.element('image', origin).drop(code, what);
  for (const { source, box } of painted) {
    if (seen.has(source)) continue;
    seen.add(source);
    if (seen.size > IMAGES_MAX) {
      drop('IMAGE_FORMAT_DROPPED', `pictures beyond the first ${IMAGES_MAX} are not kept`);
      break;
    }
    const object =
      typeof source === 'string' ? await objectOf(page, source) : (source as PdfImage | null);
    if (isTiny(object)) {
      drop('IMAGE_ORNAMENT_DROPPED', `a picture below ${SIDE_MIN} pixels is not kept`);
      continue;
    }
    const image = await encode(object);
    if (image === null) drop('IMAGE_FORMAT_DROPPED', 'a picture could not be decoded');
    else if (!found.some((one) => one.image.sha256 === image.sha256)) found.push({ image, box });
  }
  return found;
}

/** Images come after the list of operators; null is one that could not be decoded. */
function objectOf(page: PdfPage, id: string): Promise<PdfImage | null> {
  // Ids that begin so are shared by pages.
  const objects = id.startsWith('g_') ? page.commonObjs : page.objs;
  return new Promise((resolve) => objects.get(id, (image) => resolve(image as PdfImage | null)));
}

function isTiny(image: PdfImage | null): boolean {
  return image !== null && (image.width < SIDE_MIN || image.height < SIDE_MIN);
}

const BYTES_PER_PIXEL: Readonly<Record<number, number>> = { 2: 3, 3: 4 };

async function encode(image: PdfImage | null): Promise<FoundImage | null> {
  const { width = 0, height = 0, kind = 0, data } = image ?? {};
  if (data === null || data === undefined || width * height > BOUNDS.imagePixels) return null;
  const { createCanvas, ImageData } = (await openTypesetter()).canvas;
  const pixels = new Uint8ClampedArray(width * height * 4);
  const step = BYTES_PER_PIXEL[kind];
  if (step === undefined) spreadBits(data, pixels, width);
  else {
    for (let at = 0, from = 0; at < pixels.length; at += 4, from += step) {
      pixels[at] = data[from]!;
      pixels[at + 1] = data[from + 1]!;
      pixels[at + 2] = data[from + 2]!;
      pixels[at + 3] = step === 4 ? data[from + 3]! : 255;
    }
  }
  const canvas = createCanvas(width, height);
  canvas.getContext('2d').putImageData(new ImageData(pixels, width, height), 0, 0);
  return imageOf(await canvas.encode('png'));
}

/** One bit a pixel, each row in whole bytes. */
function spreadBits(data: ArrayLike<number>, pixels: Uint8ClampedArray, width: number): void {
  const rowBytes = (width + 7) >> 3;
  for (let pixel = 0; pixel * 4 < pixels.length; pixel++) {
    const [row, column] = [Math.floor(pixel / width), pixel % width];
    const bit = (data[row * rowBytes + (column >> 3)]! >> (7 - (column & 7))) & 1;
    pixels.fill(bit === 1 ? 255 : 0, pixel * 4, pixel * 4 + 3);
    pixels[pixel * 4 + 3] = 255;
  }
}
