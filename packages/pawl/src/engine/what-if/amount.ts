/** How many there would be: a number, a change of it, or a factor. */
const AMOUNT = /^(?:([+-])(\d{1,5})|(\d{1,5})|(\d{1,4}(?:\.\d{1,3})?)x)$/;

export const AMOUNT_FAULT = 'must be a number such as "8", a change such as "+3", or a factor "2x"';

/** How many an amount makes of so many; null for what is none. */
export function amountOf(text: string, before: number): number | null {
  const [, sign, by, to, times] = AMOUNT.exec(text) ?? [];
  if (sign !== undefined) return Math.max(0, before + (sign === '+' ? 1 : -1) * Number(by));
  if (to !== undefined) return Number(to);
  return times === undefined ? null : Math.round(before * Number(times));
}
