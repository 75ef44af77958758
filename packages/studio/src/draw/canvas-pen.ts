import type { CanvasGradient, Image, SKRSContext2D } from '@napi-rs/canvas';
import type { Box } from '../deck/deck.ts';
import type { Fill, Line, Shadow } from '../deck/look.ts';
import type { Path, Step } from '../deck/outline.ts';
import { rgbaOf } from '../deck/theme.ts';
import { cropped, dashOf, gradientEnds } from './look-numbers.ts';
import type { ImageLook, Ink, Part, PathLook, Pen, Point, Turn } from './pen.ts';
import type { Typesetter } from './typeset.ts';

/** Draws on pixels. */
export class CanvasPen implements Pen {
  readonly #context: SKRSContext2D;
  readonly #images: ReadonlyMap<string, Image>;
  readonly #typesetter: Typesetter;

  constructor(context: SKRSContext2D, images: ReadonlyMap<string, Image>, typesetter: Typesetter) {
    this.#context = context;
    this.#images = images;
    this.#typesetter = typesetter;
  }

  part(_part: Part, paint: () => void): void {
    paint();
  }

  turned({ box, rotation = 0, flip, opacity = 1 }: Turn, paint: () => void): void {
    const context = this.#context;
    context.save();
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    context.translate(x, y);
    context.rotate((rotation * Math.PI) / 180);
    const isBoth = flip === 'both';
    context.scale(flip === 'horizontal' || isBoth ? -1 : 1, flip === 'vertical' || isBoth ? -1 : 1);
    context.translate(-x, -y);
    context.globalAlpha *= opacity;
    paint();
    context.restore();
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

  path({ steps }: Path, { box, fill, line, shadow }: PathLook): void {
    const context = this.#context;
    context.save();
    this.#walk(steps, box);
    if (shadow !== undefined) this.#cast(shadow);
    if (fill !== undefined) {
      context.fillStyle = this.#styleOf(fill, box);
      context.fill('evenodd');
      context.shadowColor = 'transparent';
    }
    if (line !== undefined) this.#stroke(line);
    context.restore();
  }

  #cast({ colour, opacity, blur, distance, angle }: Shadow): void {
    const context = this.#context;
    const scale = context.getTransform().a || 1;
    context.shadowColor = rgbaOf(colour, opacity ?? 1);
    context.shadowBlur = blur * Math.abs(scale);
    context.shadowOffsetX = distance * Math.cos((angle * Math.PI) / 180) * Math.abs(scale);
    context.shadowOffsetY = distance * Math.sin((angle * Math.PI) / 180) * Math.abs(scale);
  }

  #styleOf(fill: Fill, box: Box): string | CanvasGradient {
    if (!('stops' in fill)) return rgbaOf(fill.colour, fill.opacity ?? 1);
    const [[x1, y1], [x2, y2]] = gradientEnds(fill.angle, box);
    const gradient = this.#context.createLinearGradient(x1, y1, x2, y2);
    for (const { at, colour, opacity } of fill.stops) {
      gradient.addColorStop(at, rgbaOf(colour, opacity ?? 1));
    }
    return gradient;
  }

  #stroke(line: Line): void {
    const context = this.#context;
    context.strokeStyle = rgbaOf(line.colour, line.opacity ?? 1);
    context.lineWidth = Math.max(line.width, 0.4);
    context.lineJoin = 'round';
    context.setLineDash(dashOf(line));
    context.stroke();
  }

  #walk(steps: readonly Step[], { x, y }: Box): void {
    const context = this.#context;
    context.beginPath();
    for (const step of steps) {
      if (step[0] === 'Z') context.closePath();
      else if (step[0] === 'M') context.moveTo(x + step[1], y + step[2]);
      else if (step[0] === 'L') context.lineTo(x + step[1], y + step[2]);
      else if (step[0] === 'C') {
        const [, ax, ay, bx, by, toX, toY] = step;
        context.bezierCurveTo(x + ax, y + ay, x + bx, y + by, x + toX, y + toY);
      }
    }
  }

  text(text: string, [x, y]: Point, ink: Ink): void {
    const context = this.#context;
    const { stretches } = this.#typesetter.place(text, ink.face, ink.size, ink.isRtl);
    context.fillStyle = ink.colour;
    context.textAlign = 'left';
    for (const stretch of stretches) {
      context.font = `${ink.size}px "${stretch.font.name}"`;
      context.direction = stretch.isRtl ? 'rtl' : 'ltr';
      context.fillText(stretch.text, x + stretch.x, y);
    }
    const heights = [...(ink.underline ? [0.12] : []), ...(ink.strike ? [-0.28] : [])];
    if (heights.length === 0) return;
    const end = x + this.#typesetter.place(text.trimEnd(), ink.face, ink.size, ink.isRtl).width;
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

  image(asset: string, box: Box, { crop, clip }: ImageLook = {}): void {
    const image = this.#images.get(asset);
    if (image === undefined) {
      this.rectangle(box, '#E5E7EB');
      return;
    }
    const context = this.#context;
    context.save();
    if (clip !== undefined) this.#walk(clip, box);
    else {
      context.beginPath();
      context.rect(box.x, box.y, box.width, box.height);
    }
    if (clip !== undefined || crop !== undefined) context.clip();
    const whole = cropped(box, crop);
    context.drawImage(image, whole.x, whole.y, whole.width, whole.height);
    context.restore();
  }

  #trace(points: readonly Point[]): void {
    this.#context.beginPath();
    points.forEach(([x, y], index) =>
      index === 0 ? this.#context.moveTo(x, y) : this.#context.lineTo(x, y),
    );
  }
}
