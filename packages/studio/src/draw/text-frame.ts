import type { Box, Paragraph } from '../deck/deck.ts';
import { mix } from '../deck/theme.ts';
import type { Measure, Pen } from './pen.ts';
import { type Line, type TextStyle, wrap, type Wrapped } from './wrap.ts';

/** Text that was fitted into its box. */
export interface TextFrame {
  readonly box: Box;
  readonly wrapped: Wrapped;
  readonly style: TextStyle;
  /** Where in the box the text begins: 0 above, 1 below. */
  readonly anchor: 0 | 0.5 | 1;
}

const SHRINK = 0.92;
const SCALE_MIN = 0.3;

export interface FitOptions {
  readonly box: Box;
  readonly style: TextStyle;
  readonly measure: Measure;
  readonly anchor?: TextFrame['anchor'];
}

/** Text as large as its style says, or as much smaller as its box wants. */
export function fitText(paragraphs: readonly Paragraph[], options: FitOptions): TextFrame {
  const { box, measure, anchor = 0 } = options;
  for (let scale = 1; ; scale *= SHRINK) {
    const factor = scale;
    const { sizeOf } = options.style;
    const style = { ...options.style, sizeOf: (level: number) => sizeOf(level) * factor };
    const wrapped = wrap(paragraphs, style, { width: box.width, measure });
    if (wrapped.height <= box.height || scale < SCALE_MIN) return { box, wrapped, style, anchor };
  }
}

/** Colours of text that its runs do not name. */
export interface TextColours {
  readonly text: string;
  readonly background: string;
  readonly accent: string;
}

/** Draws text that stands in no part yet: each paragraph is a part of its own. */
export function paintParagraphs(
  pen: Pen,
  paragraphs: readonly Paragraph[],
  look: { readonly frame: TextFrame; readonly colours: TextColours },
): void {
  const { frame, colours } = look;
  paragraphs.forEach(({ level, list }, index) => {
    const lines = frame.wrapped.lines.filter(({ paragraph }) => paragraph === index);
    const only = { ...frame, lines };
    if (list === undefined) {
      pen.part({ role: 'P', depth: level }, () => paintLines(pen, only, colours));
      return;
    }
    pen.part({ role: 'LI', depth: level }, () => {
      pen.part({ role: 'Lbl' }, () => paintMarker(pen, only, colours));
      pen.part({ role: 'LBody' }, () => paintLines(pen, only, colours));
    });
  });
}

/** Draws text that is the whole of a part. */
export function paintText(pen: Pen, frame: TextFrame, colours: TextColours): void {
  paintLines(pen, { ...frame, lines: frame.wrapped.lines }, colours);
}

interface Lines extends TextFrame {
  readonly lines: readonly Line[];
}

function topOf({ box, wrapped, anchor }: TextFrame): number {
  return box.y + Math.max(0, box.height - wrapped.height) * anchor;
}

function paintMarker(pen: Pen, lines: Lines, colours: TextColours): void {
  const first = lines.lines[0];
  if (first === undefined || first.marker === null) return;
  const face = { family: lines.style.family, bold: false, italic: false };
  const ink = { face, size: first.size, colour: colours.accent };
  pen.text(first.marker.text, [lines.box.x + first.marker.x, topOf(lines) + first.baseline], ink);
}

function paintLines(pen: Pen, lines: Lines, colours: TextColours): void {
  const { box } = lines;
  for (const line of lines.lines) {
    const y = topOf(lines) + line.baseline;
    for (const { run, text, face, x, width } of line.pieces) {
      if (run.code === true) {
        const behind = mix(colours.background, colours.text, 0.08);
        const height = line.size * 1.16;
        pen.rectangle({ x: box.x + x, y: y - line.size * 0.9, width, height }, behind);
      }
      const isLink = run.link !== undefined;
      pen.text(text, [box.x + x, y], {
        face,
        size: line.size,
        colour: run.colour ?? (isLink ? colours.accent : colours.text),
        underline: run.underline === true || isLink,
        strike: run.strike === true,
        ...(run.link === undefined ? {} : { link: run.link }),
      });
    }
  }
}
