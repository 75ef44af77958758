// What every rung of the proof has in common: its arguments and how it tells its figures.

/** Numbers of one run that can be added to those of another. */
export type Counts = Readonly<Record<string, number>>;

export interface RungReport {
  /** What was done, in the order in which it is told. */
  readonly figures: Readonly<Record<string, string | number>>;
  /** What went wrong: a rung has passed when this is empty. */
  readonly violations: readonly string[];
  /** What a campaign adds up over many runs; none where the rung was skipped. */
  readonly counts?: Counts;
}

/** Lines in between, so that a long run can be watched. */
export type Say = (line: string) => void;

/** The arguments of a rung: `--seeds 100` and flags without a value. */
export class RungOptions {
  readonly #args: readonly string[];

  constructor(args: readonly string[]) {
    this.#args = args;
  }

  number(name: string, otherwise: number): number {
    const text = this.text(name);
    if (text === null) return otherwise;
    const value = Number(text);
    if (!Number.isFinite(value)) throw new Error(`--${name} must be a number, not "${text}"`);
    return value;
  }

  text(name: string): string | null {
    const at = this.#args.indexOf(`--${name}`);
    return at === -1 ? null : (this.#args[at + 1] ?? '');
  }

  /** True until the minutes asked for are over; without any, for ever. */
  isTimeLeft(): () => boolean {
    const minutes = this.number('minutes', Infinity);
    const until = performance.now() + minutes * 60_000;
    return () => performance.now() < until;
  }
}

export type Rung = (options: RungOptions, say: Say) => Promise<RungReport>;

export function tell(name: string, { figures, violations }: RungReport): string {
  const width = Math.max(...Object.keys(figures).map((label) => label.length), 10);
  const line = ([label, value]: [string, unknown]): string =>
    `  ${label.padEnd(width)}  ${typeof value === 'number' ? grouped(value) : String(value)}`;
  const lines = Object.entries(figures).map(line);
  const verdict = line(['violations', violations.length]);
  return [`proof:${name}`, ...lines, verdict, ...violations.slice(0, 20)].join('\n');
}

export function grouped(value: number): string {
  return value.toLocaleString('en-GB');
}
