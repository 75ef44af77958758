// The formulas of DrawingML: every guide is a name for what three operands give.

/** Names and what they stand for, angles in 60,000ths of a degree. */
export type Guides = Map<string, number>;

const DEGREE = 60_000;
const radians = (angle: number): number => (angle / DEGREE / 180) * Math.PI;
const angleOf = (value: number): number => (value / Math.PI) * 180 * DEGREE;

type Operation = (x: number, y: number, z: number) => number;

const OPERATIONS: Readonly<Record<string, Operation>> = {
  val: (x) => x,
  '*/': (x, y, z) => (z === 0 ? 0 : (x * y) / z),
  '+-': (x, y, z) => x + y - z,
  '+/': (x, y, z) => (z === 0 ? 0 : (x + y) / z),
  '?:': (x, y, z) => (x > 0 ? y : z),
  abs: (x) => Math.abs(x),
  sqrt: (x) => Math.sqrt(Math.max(0, x)),
  min: (x, y) => Math.min(x, y),
  max: (x, y) => Math.max(x, y),
  pin: (x, y, z) => Math.min(Math.max(x, y), z),
  mod: (x, y, z) => Math.hypot(x, y, z),
  sin: (x, y) => x * Math.sin(radians(y)),
  cos: (x, y) => x * Math.cos(radians(y)),
  tan: (x, y) => x * Math.tan(radians(y)),
  at2: (x, y) => angleOf(Math.atan2(y, x)),
  cat2: (x, y, z) => x * Math.cos(Math.atan2(z, y)),
  sat2: (x, y, z) => x * Math.sin(Math.atan2(z, y)),
};

const PARTS_OF_SIDES = [2, 3, 4, 5, 6, 8, 10, 12, 16, 32];

/** The guides that every shape has, of its width and height. */
export function builtInGuides(width: number, height: number): Guides {
  const shorter = Math.min(width, height);
  const guides: Guides = new Map(
    Object.entries({
      l: 0,
      t: 0,
      r: width,
      b: height,
      w: width,
      h: height,
      hc: width / 2,
      vc: height / 2,
      ss: shorter,
      ls: Math.max(width, height),
      cd2: 180 * DEGREE,
      cd4: 90 * DEGREE,
      cd8: 45 * DEGREE,
      '3cd4': 270 * DEGREE,
      '3cd8': 135 * DEGREE,
      '5cd8': 225 * DEGREE,
      '7cd8': 315 * DEGREE,
    }),
  );
  for (const part of PARTS_OF_SIDES) {
    guides.set(`wd${part}`, width / part);
    guides.set(`hd${part}`, height / part);
    guides.set(`ssd${part}`, shorter / part);
  }
  return guides;
}

/** A number, or what a guide stands for; what is unknown is 0. */
export function valueOf(guides: Guides, operand: string | undefined): number {
  if (operand === undefined) return 0;
  const known = guides.get(operand);
  if (known !== undefined) return known;
  const value = Number(operand);
  return Number.isFinite(value) ? value : 0;
}

/** Adds guides in their order: each may use those before it. */
export function addGuides(
  guides: Guides,
  formulas: readonly (readonly [name: string, formula: string])[],
): void {
  for (const [name, formula] of formulas) {
    const [operator = '', ...operands] = formula.trim().split(/\s+/);
    const [x, y, z] = [0, 1, 2].map((index) => valueOf(guides, operands[index]));
    const value = OPERATIONS[operator]?.(x!, y!, z!) ?? 0;
    guides.set(name, Number.isFinite(value) ? value : 0);
  }
}
