// What a shape looks like in a box: of a preset by its published formulas, or of a path of its own.
import { readFileSync } from 'node:fs';
import { addGuides, builtInGuides, type Guides, valueOf } from './guides.ts';
import type { Geometry } from './look.ts';

/** A step of a path: to move, to draw a line or a curve of two handles, to close. */
export type Step =
  | readonly ['M' | 'L', number, number]
  | readonly ['C', number, number, number, number, number, number]
  | readonly ['Z'];

/** A path of a shape; shades make parts of some presets lighter or darker than the rest. */
export interface Path {
  readonly steps: readonly Step[];
  readonly shade: number | null;
  readonly isFilled: boolean;
  readonly isDrawn: boolean;
}

export interface Outline {
  readonly paths: readonly Path[];
  /** Where text goes: left, top, right and bottom. */
  readonly text: readonly [number, number, number, number];
}

/** A path as the table, or a file, writes it: operands are numbers or names of guides. */
export interface WrittenPath {
  readonly commands: readonly (readonly string[])[];
  readonly width?: number;
  readonly height?: number;
  readonly fill?: string;
  readonly stroke?: false;
}

/** A shape by its formulas. */
export interface WrittenShape {
  readonly name: string;
  readonly adjustments?: Readonly<Record<string, number>>;
  readonly guides?: readonly (readonly [string, string])[];
  readonly text?: readonly string[];
  readonly paths: readonly WrittenPath[];
}

const SHADES: Readonly<Record<string, number>> = {
  lighten: 0.4,
  lightenLess: 0.2,
  darken: -0.4,
  darkenLess: -0.2,
};

/** Formulas are written for the unit of the files. */
const UNIT = 12_700;

interface Size {
  readonly width: number;
  readonly height: number;
}

let table: ReadonlyMap<string, WrittenShape> | null = null;

/** The published table of presets, read when the first is needed. */
export function presets(): ReadonlyMap<string, WrittenShape> {
  if (table !== null) return table;
  const text = readFileSync(new URL('../../data/preset-geometries.jsonl', import.meta.url), 'utf8');
  const shapes = text.trim().split('\n');
  table = new Map(
    shapes.map((line) => {
      const shape = JSON.parse(line) as WrittenShape;
      return [shape.name, shape] as const;
    }),
  );
  return table;
}

/** The outline of a geometry in a box of some size, from 0; unknown presets are rectangles. */
export function outlineOf(geometry: Geometry, size: Size): Outline {
  if ('paths' in geometry) {
    return {
      paths: geometry.paths.map(({ commands, fill, line }) => ({
        steps: stepsOf(commands, size),
        shade: null,
        isFilled: fill !== false,
        isDrawn: line !== false,
      })),
      text: [0, 0, size.width, size.height],
    };
  }
  const known = presets();
  const shape = known.get(geometry.preset) ?? known.get('rect')!;
  return evaluate(shape, size, geometry.adjustments);
}

/** Evaluates the formulas of a shape. */
export function evaluate(
  shape: WrittenShape,
  { width, height }: Size,
  adjustments: Readonly<Record<string, number>> = {},
): Outline {
  const guides = builtInGuides(width * UNIT, height * UNIT);
  const adjusted = { ...shape.adjustments, ...adjustments };
  for (const [name, value] of Object.entries(adjusted)) guides.set(name, value);
  addGuides(guides, shape.guides ?? []);
  const [left, top, right, bottom] = (shape.text ?? ['l', 't', 'r', 'b']).map(
    (name) => valueOf(guides, name) / UNIT,
  );
  return {
    paths: shape.paths.map((path) => ({
      steps: walk(path, guides, { width, height }),
      shade: SHADES[path.fill ?? ''] ?? null,
      isFilled: path.fill !== 'none',
      isDrawn: path.stroke !== false,
    })),
    text: [left!, top!, right!, bottom!],
  };
}

type Point = readonly [number, number];

function walk(path: WrittenPath, guides: Guides, size: Size): Step[] {
  const scaleX = path.width ? size.width / path.width : 1 / UNIT;
  const scaleY = path.height ? size.height / path.height : 1 / UNIT;
  const steps: Step[] = [];
  let at: Point = [0, 0];
  let first: Point = at;
  for (const [command, ...operands] of path.commands) {
    const values = operands.map((operand) => valueOf(guides, operand));
    const points = values.map((value, index) => value * (index % 2 === 0 ? scaleX : scaleY));
    const end: Point = [points.at(-2) ?? 0, points.at(-1) ?? 0];
    if (command === 'Z') {
      steps.push(['Z']);
      at = first;
    } else if (command === 'A') {
      const arc = arcSteps(at, values, [scaleX, scaleY]);
      steps.push(...arc);
      at = endOf(arc.at(-1)) ?? at;
    } else if (command === 'C') {
      steps.push([
        'C',
        ...(points.slice(0, 6) as [number, number, number, number, number, number]),
      ]);
      at = end;
    } else if (command === 'Q') {
      steps.push(quadratic(at, [points[0]!, points[1]!], end));
      at = end;
    } else {
      if (command === 'M') first = end;
      steps.push([command === 'M' ? 'M' : 'L', ...end]);
      at = end;
    }
  }
  return steps;
}

function endOf(step: Step | undefined): Point | null {
  if (step === undefined || step[0] === 'Z') return null;
  return [step.at(-2) as number, step.at(-1) as number];
}

function quadratic(from: Point, handle: Point, to: Point): Step {
  const toward = (end: Point): Point => [
    end[0] + (2 / 3) * (handle[0] - end[0]),
    end[1] + (2 / 3) * (handle[1] - end[1]),
  ];
  return ['C', ...toward(from), ...toward(to), ...to];
}

/** Angles of an ellipse are those of a ray, not of the circle it is made from. */
function onCircle(angle: number, [wide, high]: Point): number {
  const turns = Math.round(angle / (2 * Math.PI)) * 2 * Math.PI;
  const rest = angle - turns;
  return turns + Math.atan2(wide * Math.sin(rest), high * Math.cos(rest));
}

/** An arc from where the path is, as curves of a quarter at most. */
function arcSteps(from: Point, values: readonly number[], scale: Point): Step[] {
  const [wide = 0, high = 0, startAngle = 0, swing = 0] = values;
  const radius: Point = [wide * scale[0], high * scale[1]];
  const radian = Math.PI / 180 / 60_000;
  const swept = Math.min(360, Math.abs(swing / 60_000)) * Math.sign(swing) * 60_000 * radian;
  const start = onCircle(startAngle * radian, [wide, high]);
  const isWhole = Math.abs(swept) > 2 * Math.PI - 1e-6;
  const sweep = isWhole ? swept : onCircle(startAngle * radian + swept, [wide, high]) - start;
  const centre: Point = [
    from[0] - radius[0] * Math.cos(start),
    from[1] - radius[1] * Math.sin(start),
  ];
  const count = Math.max(1, Math.ceil(Math.abs(sweep) / (Math.PI / 2) - 1e-9));
  const handle = (4 / 3) * Math.tan(sweep / count / 4);
  return Array.from({ length: count }, (_, index): Step => {
    const [one, two] = [start + (sweep * index) / count, start + (sweep * (index + 1)) / count];
    const place = (angle: number, by: number): Point => [
      centre[0] + radius[0] * (Math.cos(angle) - by * Math.sin(angle)),
      centre[1] + radius[1] * (Math.sin(angle) + by * Math.cos(angle)),
    ];
    return ['C', ...place(one, handle), ...place(two, -handle), ...place(two, 0)];
  });
}

const STEP = /([MLCZ])([^MLCZ]*)/g;

/** The steps of a path whose box reaches from 0 to 1. */
function stepsOf(commands: string, { width, height }: Size): Step[] {
  const counts = { M: 2, L: 2, C: 6, Z: 0 } as const;
  return [...commands.matchAll(STEP)].flatMap(([, name, rest]): Step[] => {
    const values = (rest!.match(/-?[\d.]+(?:[eE]-?\d+)?/g) ?? []).map(Number);
    const points = values.map((value, index) => value * (index % 2 === 0 ? width : height));
    const command = name as keyof typeof counts;
    if (points.length < counts[command] || points.some((one) => !Number.isFinite(one))) return [];
    return [[command, ...points.slice(0, counts[command])] as unknown as Step];
  });
}

/** Steps in a box of some size, as a path whose box reaches from 0 to 1. */
export function commandsOf(steps: readonly Step[], { width, height }: Size): string {
  const share = (value: number, side: number): number =>
    Math.round((side === 0 ? 0 : value / side) * 1e5) / 1e5;
  return steps
    .map(([name, ...points]) =>
      [name, ...points.map((one, index) => share(one, index % 2 === 0 ? width : height))].join(' '),
    )
    .join(' ');
}
