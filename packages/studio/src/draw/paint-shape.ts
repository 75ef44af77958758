import type { Box, ConnectorBlock, ImageBlock, ShapeBlock } from '../deck/deck.ts';
import type { Fill, Line, LineEnd } from '../deck/look.ts';
import { outlineOf, type Path, type Step } from '../deck/outline.ts';
import { mix } from '../deck/theme.ts';
import type { Pen, Point } from './pen.ts';

/** Draws a shape or a connector without its text, in its box. */
export function paintShape(pen: Pen, block: ShapeBlock | ConnectorBlock, box: Box): void {
  const { geometry, line } = block;
  const fill = block.kind === 'shape' ? block.fill : undefined;
  const { paths } = outlineOf(geometry, box);
  let { shadow } = block;
  for (const path of paths) {
    const filled = path.isFilled && fill !== undefined ? shaded(fill, path.shade) : undefined;
    const drawn = path.isDrawn ? line : undefined;
    if (filled === undefined && drawn === undefined) continue;
    const ends = drawn === undefined ? null : endsOf(path, drawn);
    pen.path(ends?.path ?? path, { box, fill: filled, line: drawn, shadow });
    // Only the lowest path of a shape has a shadow: the others lie on it.
    shadow = undefined;
    for (const head of ends?.heads ?? []) {
      const { start: _, end: __, dash: ___, ...plain } = drawn!;
      pen.path(head.path, {
        box,
        fill: head.isOpen ? undefined : { colour: plain.colour, ...opacityOf(plain) },
        line: head.isOpen ? plain : undefined,
      });
    }
  }
}

function opacityOf({ opacity }: Line): { opacity?: number } {
  return opacity === undefined ? {} : { opacity };
}

function shaded(fill: Fill, shade: number | null): Fill {
  if (shade === null) return fill;
  const other = shade > 0 ? '#FFFFFF' : '#000000';
  const change = (colour: string): string => mix(colour, other, Math.abs(shade));
  if ('stops' in fill) {
    return { ...fill, stops: fill.stops.map((stop) => ({ ...stop, colour: change(stop.colour) })) };
  }
  return { ...fill, colour: change(fill.colour) };
}

interface Head {
  readonly path: Path;
  readonly isOpen: boolean;
}

const FACTORS = { small: 2, medium: 3, large: 5 } as const;

/** A line is shortened where a head stands, so that it does not show beyond the tip. */
function endsOf(path: Path, line: Line): { path: Path; heads: Head[] } | null {
  const steps = path.steps.filter(([name]) => name !== 'Z');
  const isOpen = steps.length === path.steps.length;
  if (!isOpen || (line.start === undefined && line.end === undefined) || steps.length < 2) {
    return null;
  }
  let drawn = [...steps];
  const heads: Head[] = [];
  if (line.start !== undefined) {
    const from = pointsOf(drawn[1]!)[0]!;
    const tip = pointsOf(drawn[0]!).at(-1)!;
    const made = headOf(line.start, { tip, from, width: line.width });
    heads.push(made.head);
    drawn = [['M', ...made.base], ...drawn.slice(1)];
  }
  if (line.end !== undefined) {
    const last = drawn.at(-1)!;
    const before = pointsOf(drawn.at(-2)!).at(-1)!;
    const from = last[0] === 'C' ? pointsOf(last)[1]! : before;
    const made = headOf(line.end, { tip: pointsOf(last).at(-1)!, from, width: line.width });
    heads.push(made.head);
    drawn = [...drawn.slice(0, -1), [...last.slice(0, -2), ...made.base] as unknown as Step];
  }
  return { path: { ...path, steps: drawn }, heads };
}

function pointsOf([, ...values]: Step): Point[] {
  return Array.from({ length: values.length / 2 }, (_, index) => [
    values[index * 2] as number,
    values[index * 2 + 1] as number,
  ]);
}

interface Place {
  readonly tip: Point;
  readonly from: Point;
  readonly width: number;
}

function headOf(end: LineEnd, { tip, from, width }: Place): { head: Head; base: Point } {
  const angle = Math.atan2(tip[1] - from[1], tip[0] - from[0]);
  const long = FACTORS[end.size ?? 'medium'] * Math.max(width, 1.25);
  const at = (along: number, aside: number): Point => [
    tip[0] + along * long * Math.cos(angle) - aside * long * Math.sin(angle),
    tip[1] + along * long * Math.sin(angle) + aside * long * Math.cos(angle),
  ];
  const isOpen = end.head === 'arrow';
  const outlines: Readonly<Record<LineEnd['head'], readonly Point[]>> = {
    triangle: [at(-1, -0.5), at(0, 0), at(-1, 0.5)],
    arrow: [at(-1, -0.5), at(0, 0), at(-1, 0.5)],
    stealth: [at(-1, -0.5), at(0, 0), at(-1, 0.5), at(-0.6, 0)],
    diamond: [at(-0.5, 0), at(0, -0.5), at(0.5, 0), at(0, 0.5)],
    oval: circle(tip, long / 2),
  };
  const bases = { triangle: -0.9, arrow: -0.05, stealth: -0.6, diamond: 0, oval: 0 } as const;
  const [first, ...rest] = outlines[end.head];
  const steps: Step[] = [['M', ...first!], ...rest.map((point): Step => ['L', ...point])];
  const path: Path = {
    steps: isOpen ? steps : [...steps, ['Z']],
    shade: null,
    isFilled: !isOpen,
    isDrawn: isOpen,
  };
  return { head: { path, isOpen }, base: at(bases[end.head], 0) };
}

function circle([x, y]: Point, radius: number): Point[] {
  return Array.from({ length: 24 }, (_, index) => {
    const angle = (index / 24) * 2 * Math.PI;
    return [x + radius * Math.cos(angle), y + radius * Math.sin(angle)];
  });
}

/** Draws a picture in its box, cut to its shape, with its outline. */
export function paintImage(pen: Pen, block: ImageBlock, box: Box): void {
  const { asset, crop, geometry, line, shadow } = block;
  if (box.width <= 0 || box.height <= 0) return;
  const paths = geometry === undefined ? [] : outlineOf(geometry, box).paths;
  const clip = paths.find(({ isFilled }) => isFilled)?.steps;
  const frame = paths.length > 0 ? paths : outlineOf({ preset: 'rect' }, box).paths;
  if (shadow !== undefined) {
    pen.path(frame[0]!, { box, fill: { colour: '#FFFFFF' }, shadow });
  }
  pen.image(asset, box, { crop, clip });
  if (line === undefined) return;
  for (const path of frame) pen.path(path, { box, line });
}
