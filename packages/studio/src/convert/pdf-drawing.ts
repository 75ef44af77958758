import type { PdfPage } from './pdf-library.ts';
import type { RegionBox } from './pdf-region.ts';

type Matrix = readonly [number, number, number, number, number, number];
type Operators = Readonly<Record<string, number>>;

/** A picture that a page paints: by its name, or with its pixels. */
export interface PaintedImage {
  readonly source: unknown;
  readonly box: RegionBox;
}

/** What a page draws beside its text. */
export interface PageDrawing {
  readonly images: readonly PaintedImage[];
  /** Lines and areas of the content, without what adorns all pages and white grounds. */
  readonly paths: readonly RegionBox[];
  /** How many stencils are painted; they have no colours of their own. */
  readonly masks: number;
}

const PAINTS = [
  'stroke',
  'closeStroke',
  'fill',
  'eoFill',
  'fillStroke',
  'eoFillStroke',
  'closeFillStroke',
  'closeEOFillStroke',
];
const FILLS = new Set(['fill', 'eoFill']);

/** From the user space of a page to points from its lower left corner, as it is shown. */
export function placeOn(page: PdfPage): Matrix {
  const viewport = page.getViewport({ scale: 1 });
  const [a = 1, b = 0, c = 0, d = -1, e = 0, f = 0] = viewport.transform;
  return [a, -b, c, -d, e, viewport.height - f];
}

export function placed([a, b, c, d, e, f]: Matrix, x: number, y: number): [number, number] {
  return [a * x + c * y + e, b * x + d * y + f];
}

function times(outer: Matrix, [a, b, c, d, e, f]: Matrix): Matrix {
  const [x, y] = placed(outer, e, f);
  return [
    outer[0] * a + outer[2] * b,
    outer[1] * a + outer[3] * b,
    outer[0] * c + outer[2] * d,
    outer[1] * c + outer[3] * d,
    x,
    y,
  ];
}

function boxOf(matrix: Matrix, [left, bottom, right, top]: readonly number[]): RegionBox {
  const corners = [
    placed(matrix, left!, bottom!),
    placed(matrix, right!, bottom!),
    placed(matrix, left!, top!),
    placed(matrix, right!, top!),
  ];
  const [across, up] = [corners.map(([x]) => x), corners.map(([, y]) => y)];
  return {
    left: Math.min(...across),
    right: Math.max(...across),
    top: Math.max(...up),
    bottom: Math.min(...up),
  };
}

/** Goes through what a page paints, with the place and the colour of each moment. */
export async function drawingOf(page: PdfPage, operators: Operators): Promise<PageDrawing> {
  const { fnArray, argsArray } = await page.getOperatorList();
  const names = new Map(Object.entries(operators).map(([name, code]) => [code, name]));
  const painter = new Painter(placeOn(page), names);
  fnArray.forEach((code, index) => painter.take(names.get(code) ?? '', argsArray[index] ?? []));
  return painter;
}

class Painter implements PageDrawing {
  readonly images: PaintedImage[] = [];
  readonly paths: RegionBox[] = [];
  masks = 0;
  readonly #names: ReadonlyMap<number, string>;
  #matrix: Matrix;
  #colour = '#000000';
  readonly #saved: (readonly [Matrix, string])[] = [];
  /** Of each part that is marked, whether it is none of the content. */
  readonly #marks: boolean[] = [];

  constructor(matrix: Matrix, names: ReadonlyMap<number, string>) {
    this.#matrix = matrix;
    this.#names = names;
  }

  take(name: string, args: readonly unknown[]): void {
    switch (name) {
      case 'save':
        this.#saved.push([this.#matrix, this.#colour]);
        return;
      case 'restore':
        [this.#matrix, this.#colour] = this.#saved.pop() ?? [this.#matrix, this.#colour];
        return;
      case 'transform':
        this.#matrix = times(this.#matrix, args as unknown as Matrix);
        return;
      case 'paintFormXObjectBegin':
        this.#saved.push([this.#matrix, this.#colour]);
        if (Array.isArray(args[0]))
          this.#matrix = times(this.#matrix, args[0] as unknown as Matrix);
        return;
      case 'paintFormXObjectEnd':
        [this.#matrix, this.#colour] = this.#saved.pop() ?? [this.#matrix, this.#colour];
        return;
      case 'setFillRGBColor':
        this.#colour = String(args[0]);
        return;
      case 'beginMarkedContent':
      case 'beginMarkedContentProps':
        this.#marks.push(isDecoration(args[0]));
        return;
      // What is pinned to a page is told by itself.
      case 'beginAnnotation':
        this.#marks.push(true);
        return;
      case 'endAnnotation':
      case 'endMarkedContent':
        this.#marks.pop();
        return;
      case 'constructPath':
        this.#path(args);
        return;
      case 'shadingFill':
        if (!this.#marks.includes(true)) this.paths.push(boxOf(this.#matrix, [0, 0, 1, 1]));
        return;
      default:
        this.#image(name, args);
    }
  }

  #path([operator, , bounds]: readonly unknown[]): void {
    const paint = this.#names.get(operator as number) ?? '';
    if (!PAINTS.includes(paint) || this.#marks.includes(true)) return;
    const isWhite = FILLS.has(paint) && /^#f{6}$/i.test(this.#colour);
    const corners = Object.values((bounds ?? {}) as Record<string, number>);
    if (!isWhite && corners.length === 4) this.paths.push(boxOf(this.#matrix, corners));
  }

  #image(name: string, [source]: readonly unknown[]): void {
    if (name.startsWith('paintImageMask') || name === 'paintSolidColorImageMask') this.masks++;
    const isImage = name === 'paintImageXObject' || name === 'paintInlineImageXObject';
    if (isImage) this.images.push({ source, box: boxOf(this.#matrix, [0, 0, 1, 1]) });
  }
}

/** What is on every page, and the rules and grounds of a table, are no drawing. */
function isDecoration(tag: unknown): boolean {
  const name = typeof tag === 'string' ? tag : (tag as { name?: string } | null)?.name;
  return ['Artifact', 'TH', 'TD', 'TR', 'Table'].includes(name ?? '');
}
