import type { Box, Paragraph, TextBlock } from '../deck/deck.ts';
import { plainText } from '../deck/text.ts';
import { mix } from '../deck/theme.ts';
import { hasRightToLeft } from './bidi.ts';
import { familyOf } from './face.ts';
import type { Pen } from './pen.ts';
import type { TextStyle } from './text-style.ts';
import type { Typesetter } from './typeset.ts';
import { type Line, wrap, type Wrapped } from './wrap.ts';

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
/** Sizes that the document names are kept, but for what another font is wider. */
const NAMED_SCALE_MIN = 0.8;

export interface FitOptions {
  readonly box: Box;
  readonly style: TextStyle;
  readonly typesetter: Typesetter;
  readonly anchor?: TextFrame['anchor'];
  /** False: lines end only where the text says so. */
  readonly isWrapped?: boolean;
}

/** Text as large as its style says, or as much smaller as its box wants. */
export function fitText(paragraphs: readonly Paragraph[], options: FitOptions): TextFrame {
  const { box, typesetter, anchor = 0, isWrapped = true } = options;
  const isNamed = paragraphs.some(({ runs }) => runs.some(({ size }) => size !== undefined));
  const least = isNamed ? NAMED_SCALE_MIN : SCALE_MIN;
  const { sizeOf } = options.style;
  for (let scale = 1; ; scale *= SHRINK) {
    const factor = Math.max(scale, isNamed ? least : 0);
    const style = {
      ...options.style,
      scale: factor,
      sizeOf: (level: number) => sizeOf(level) * factor,
    };
    const width = Math.max(1, box.width);
    const wrapped = wrap(paragraphs, style, { width, isWrapped, typesetter });
    const isFitting = wrapped.height <= box.height * (isNamed ? 1.02 : 1);
    if (isFitting || scale < least || !isWrapped) return { box, wrapped, style, anchor };
  }
}

const ANCHORS = { top: 0, middle: 0.5, bottom: 1 } as const;

/** Where in its box text begins. */
export function anchorOf(anchor: TextBlock['anchor']): TextFrame['anchor'] {
  return ANCHORS[anchor ?? 'top'];
}

/** The box that is left for text. */
export function insideOf(box: Box, inset: TextBlock['inset']): Box {
  if (inset === undefined) return box;
  return {
    x: box.x + inset.left,
    y: box.y + inset.top,
    width: Math.max(1, box.width - inset.left - inset.right),
    height: Math.max(1, box.height - inset.top - inset.bottom),
  };
}

/** Colours of text that its runs do not name. */
export interface TextColours {
  readonly text: string;
  readonly background: string;
  readonly accent: string;
}

/** Scripts whose glyphs are not one by one, and in the order of, the letters. */
const REORDERED = /[\u0900-\u0DFF\u0E00-\u0EFF\u1000-\u109F\u1780-\u17FF]|\p{RGI_Emoji}/v;

/** A text in reading order, where it cannot be told from how it is drawn. */
export function actualOf(text: string): { readonly actual?: string } {
  return hasRightToLeft(text) || REORDERED.test(text) ? { actual: text } : {};
}

/** Draws text that stands in no part yet: each paragraph is a part of its own. */
export function paintParagraphs(
  pen: Pen,
  paragraphs: readonly Paragraph[],
  look: { readonly frame: TextFrame; readonly colours: TextColours },
): void {
  const { frame, colours } = look;
  paragraphs.forEach(({ level, list, runs }, index) => {
    const lines = frame.wrapped.lines.filter(({ paragraph }) => paragraph === index);
    const only = { ...frame, lines };
    const actual = actualOf(plainText(runs));
    if (list === undefined) {
      pen.part({ role: 'P', depth: level, ...actual }, () => paintLines(pen, only, colours));
      return;
    }
    pen.part({ role: 'LI', depth: level }, () => {
      pen.part({ role: 'Lbl' }, () => paintMarker(pen, only, colours));
      pen.part({ role: 'LBody', ...actual }, () => paintLines(pen, only, colours));
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

/** Text that is higher than its box reaches out of it at the side where it is not anchored. */
function topOf({ box, wrapped, anchor }: TextFrame): number {
  const room = box.height - wrapped.height;
  return box.y + (room > 0 || anchor !== 0 ? room : 0) * anchor;
}

function paintMarker(pen: Pen, lines: Lines, colours: TextColours): void {
  const first = lines.lines[0];
  if (first === undefined || first.marker === null) return;
  const face = { family: familyOf(lines.style.font), bold: false, italic: false };
  // A document's own text has bullets of its own colour; ours have the accent.
  const own = first.pieces[0]?.run;
  const colour = own?.size === undefined ? colours.accent : (own.colour ?? colours.text);
  const ink = { face, size: first.size, colour };
  pen.text(first.marker.text, [lines.box.x + first.marker.x, topOf(lines) + first.baseline], ink);
}

function paintLines(pen: Pen, lines: Lines, colours: TextColours): void {
  const { box } = lines;
  for (const line of lines.lines) {
    const y = topOf(lines) + line.baseline;
    for (const { run, text, face, size, x, width, isRtl } of line.pieces) {
      if (run.code === true) {
        const behind = mix(colours.background, colours.text, 0.08);
        const height = size * 1.16;
        pen.rectangle({ x: box.x + x, y: y - size * 0.9, width, height }, behind);
      }
      const isLink = run.link !== undefined;
      const raised = run.baseline === 'super' ? -0.5 : run.baseline === 'sub' ? 0.2 : 0;
      pen.text(text, [box.x + x, y + raised * size], {
        face,
        size,
        colour: run.colour ?? (isLink ? colours.accent : colours.text),
        underline: run.underline === true || isLink,
        strike: run.strike === true,
        isRtl,
        ...(run.link === undefined ? {} : { link: run.link }),
      });
    }
  }
}
