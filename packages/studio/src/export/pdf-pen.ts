import type { Box } from '../deck/deck.ts';
import type { Fill, Line, Shadow } from '../deck/look.ts';
import type { Path, Step } from '../deck/outline.ts';
import { mirrored } from '../draw/bidi.ts';
import { cropped, dashOf, gradientEnds } from '../draw/look-numbers.ts';
import type { ImageLook, Ink, Part, PathLook, Pen, Point, Turn } from '../draw/pen.ts';
import { actualOf } from '../draw/text-frame.ts';
import type { Stretch, Typesetter } from '../draw/typeset.ts';
import type { PdfParts } from './pdf-parts.ts';

export interface PdfPenOptions {
  readonly document: PDFKit.PDFDocument;
  readonly parts: PdfParts;
  readonly images: ReadonlyMap<string, Buffer>;
  readonly typesetter: Typesetter;
  /** The picture of an emoji. */
  readonly emoji: (text: string) => Buffer;
  /** Called where a shadow is drawn, which pages have only with hard edges. */
  readonly onShadow: () => void;
}

/** Draws on a page of a PDF, and says of everything what it is. */
export class PdfPen implements Pen {
  readonly #options: PdfPenOptions;
  readonly #document: PDFKit.PDFDocument;
  #opacity = 1;

  constructor(options: PdfPenOptions) {
    this.#options = options;
    this.#document = options.document;
  }

  part(part: Part, paint: () => void): void {
    this.#options.parts.part(part, paint);
  }

  turned({ box, rotation = 0, flip, opacity = 1 }: Turn, paint: () => void): void {
    const document = this.#document;
    const before = this.#opacity;
    document.save();
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    if (rotation !== 0) document.rotate(rotation, { origin: [x, y] });
    const isBoth = flip === 'both';
    if (flip !== undefined) {
      const [across, down] = [flip === 'horizontal' || isBoth, flip === 'vertical' || isBoth];
      document.scale(across ? -1 : 1, down ? -1 : 1, { origin: [x, y] });
    }
    this.#opacity *= opacity;
    paint();
    this.#opacity = before;
    document.restore();
  }

  rectangle({ x, y, width, height }: Box, colour: string): void {
    this.#document.rect(x, y, width, height).fillOpacity(this.#opacity).fill(colour);
  }

  polygon(points: readonly Point[], colour: string): void {
    this.#document.polygon(...points.map(([x, y]) => [x, y]));
    this.#document.fillOpacity(this.#opacity).fill(colour);
  }

  line(points: readonly Point[], colour: string, width: number): void {
    points.forEach(([x, y], index) =>
      index === 0 ? this.#document.moveTo(x, y) : this.#document.lineTo(x, y),
    );
    this.#document.lineWidth(width).lineJoin('round').undash();
    this.#document.strokeOpacity(this.#opacity).stroke(colour);
  }

  path({ steps }: Path, { box, fill, line, shadow }: PathLook): void {
    const document = this.#document;
    if (steps.length === 0) return;
    if (shadow !== undefined && fill !== undefined) this.#cast(steps, box, shadow);
    if (fill !== undefined) {
      this.#walk(steps, box);
      this.#fill(fill, box);
    }
    if (line !== undefined) {
      this.#walk(steps, box);
      this.#stroke(line);
    }
    document.undash();
  }

  #cast(steps: readonly Step[], box: Box, { colour, opacity, distance, angle }: Shadow): void {
    this.#options.onShadow();
    const turn = (angle * Math.PI) / 180;
    const [x, y] = [box.x + distance * Math.cos(turn), box.y + distance * Math.sin(turn)];
    this.#walk(steps, { ...box, x, y });
    this.#document.fillOpacity(this.#opacity * (opacity ?? 1) * 0.5).fill(colour);
  }

  #fill(fill: Fill, box: Box): void {
    const document = this.#document;
    if ('stops' in fill) {
      const [from, to] = gradientEnds(fill.angle, box);
      const gradient = document.linearGradient(...from, ...to);
      for (const { at, colour, opacity } of fill.stops) {
        gradient.stop(at, colour, (opacity ?? 1) * this.#opacity);
      }
      document.fillOpacity(1).fill(gradient, 'even-odd');
      return;
    }
    document.fillOpacity(this.#opacity * (fill.opacity ?? 1)).fill(fill.colour, 'even-odd');
  }

  #stroke(line: Line): void {
    const document = this.#document;
    const [dash = 0, gap = 0] = dashOf(line);
    if (dash > 0) document.dash(dash, { space: gap });
    document.lineWidth(Math.max(0.4, line.width)).lineJoin('round');
    document.strokeOpacity(this.#opacity * (line.opacity ?? 1)).stroke(line.colour);
  }

  #walk(steps: readonly Step[], { x, y }: Box): void {
    const document = this.#document;
    for (const step of steps) {
      if (step[0] === 'Z') document.closePath();
      else if (step[0] === 'M') document.moveTo(x + step[1], y + step[2]);
      else if (step[0] === 'L') document.lineTo(x + step[1], y + step[2]);
      else if (step[0] === 'C') {
        const [, ax, ay, bx, by, toX, toY] = step;
        document.bezierCurveTo(x + ax, y + ay, x + bx, y + by, x + toX, y + toY);
      }
    }
  }

  text(text: string, [x, y]: Point, ink: Ink): void {
    const { typesetter } = this.#options;
    const { stretches } = typesetter.place(text, ink.face, ink.size, ink.isRtl);
    // In reading order, wherever they stand: that is the order in which they are read back.
    const read = ink.isRtl === true ? stretches.toReversed() : stretches;
    for (const stretch of read) this.#stretch(stretch, [x + stretch.x, y], ink);
    const { width } = typesetter.place(text.trimEnd(), ink.face, ink.size, ink.isRtl);
    const heights = [...(ink.underline ? [0.12] : []), ...(ink.strike ? [-0.28] : [])];
    for (const height of heights) {
      const at = y + ink.size * height;
      this.line(
        [
          [x, at],
          [x + width, at],
        ],
        ink.colour,
        Math.max(0.75, ink.size / 18),
      );
    }
    if (ink.link === undefined) return;
    this.#document.link(x, y - ink.size, width, ink.size * 1.25, ink.link);
  }

  #stretch(stretch: Stretch, at: Point, ink: Ink): void {
    const document = this.#document;
    // Readers turn text that runs from right to left around themselves, also what is said here.
    const actual = stretch.isRtl ? undefined : actualOf(stretch.text).actual;
    if (actual !== undefined) document.markContent('Span', { actual });
    if (stretch.isEmoji) this.#emoji(stretch, at, ink.size);
    else this.#letters(stretch, at, ink);
    if (actual !== undefined) document.endMarkedContent();
  }

  #letters({ text, font, isRtl }: Stretch, [x, y]: Point, { size, colour }: Ink): void {
    const document = this.#document;
    const { bidi } = this.#options.typesetter;
    const seen = isRtl ? mirrored(bidi, text) : text;
    if (font.postscriptName === null) document.font(font.path, size);
    else document.font(font.path, font.postscriptName, size);
    document.fillOpacity(this.#opacity).fillColor(colour);
    // With features the whole stretch is shaped at once; without, word by word from the left.
    const features: PDFKit.Mixins.OpenTypeFeatures[] = [];
    document.text(seen, x, y, { lineBreak: false, baseline: 'alphabetic', features });
  }

  #emoji({ text, width }: Stretch, [x, y]: Point, size: number): void {
    const each = [...new Intl.Segmenter('und').segment(text)];
    each.forEach(({ segment }, index) => {
      const picture = this.#options.emoji(segment);
      const side = width / each.length;
      this.#document.image(picture, x + index * side, y - size * 0.95, { width: side });
    });
  }

  image(asset: string, box: Box, { crop, clip }: ImageLook = {}): void {
    const document = this.#document;
    const whole = cropped(box, crop);
    document.save();
    if (clip !== undefined) {
      this.#walk(clip, box);
      document.clip();
    } else if (crop !== undefined) document.rect(box.x, box.y, box.width, box.height).clip();
    document.fillOpacity(this.#opacity);
    const { width, height } = whole;
    document.image(this.#options.images.get(asset)!, whole.x, whole.y, { width, height });
    document.restore();
  }
}
