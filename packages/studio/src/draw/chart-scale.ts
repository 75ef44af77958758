import type { ChartBlock } from '../deck/deck.ts';

/** An axis of numbers: its ticks from low to high. */
export interface Scale {
  readonly ticks: readonly number[];
  /** Where on the axis a number lies: 0 is its beginning. */
  readonly share: (value: number) => number;
}

const STEPS = [1, 2, 5, 10];
const TICKS_MAX = 60;
/** What office programs leave free beyond the last value. */
const ROOM = 0.05;

/** Round steps that cover the values, zero among them, where the chart says nothing else. */
export function scaleOf(
  values: readonly number[],
  { axis = {}, isExact, about }: { axis?: ChartBlock['axis']; isExact: boolean; about: number },
): Scale {
  const [least, most] = [Math.min(0, ...values), Math.max(0, ...values)];
  const room = isExact ? 0 : (most - least) * ROOM;
  const low = axis.least ?? (least < 0 ? least - room : 0);
  const wanted = axis.most ?? (most > 0 ? most + room : 0);
  const high = wanted > low ? wanted : low + 1;
  const span = high - low;
  const step = stepOf(span, { step: axis.step, about });
  const first = axis.least ?? Math.floor(low / step + 1e-9) * step;
  const last = axis.most ?? Math.ceil(high / step - 1e-9) * step;
  const count = Math.max(1, Math.floor((last - first) / step + 1e-9));
  const ticks = Array.from({ length: count + 1 }, (_, index) => first + index * step);
  const end = axis.most ?? Math.max(last, ticks.at(-1)!);
  const share = (value: number): number => {
    const at = Math.min(1, Math.max(0, (value - first) / (end - first || 1)));
    return axis.reversed === true ? 1 - at : at;
  };
  return { ticks, share };
}

function stepOf(span: number, of: { step: number | undefined; about: number }): number {
  if (of.step !== undefined && span / of.step <= TICKS_MAX) return of.step;
  const rough = span / of.about;
  const power = 10 ** Math.floor(Math.log10(rough));
  return STEPS.map((one) => one * power).find((one) => one >= rough * 0.999)!;
}

/** As many as stand apart, but no more than ten. */
export function ticksFor(length: number, apart: number): number {
  return Math.max(2, Math.min(9, Math.floor(length / Math.max(1, apart))));
}
