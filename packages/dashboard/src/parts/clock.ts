// By which clock times are shown: that of this place, or UTC. Tooltips always say both.
import { signal } from '@preact/signals';

const NAME = 'pawl-utc';

/** Kept by the browser, since people are used to one or the other. */
export const isUtc = signal(localStorage.getItem(NAME) !== null);

export function switchClock(): void {
  isUtc.value = !isUtc.value;
  if (isUtc.value) localStorage.setItem(NAME, 'yes');
  else localStorage.removeItem(NAME);
}

const DAY = { day: 'numeric', month: 'short', year: 'numeric' } as const;
const CLOCK = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const;

/** Made once: a format costs a hundred times what its use does, and lists show many times. */
const DAYS = new Intl.DateTimeFormat([], { ...DAY, ...CLOCK });
const MOMENT = { ...CLOCK, fractionalSecondDigits: 3 } as const;
const MOMENTS = new Intl.DateTimeFormat([], MOMENT);
const UTC_MOMENTS = new Intl.DateTimeFormat([], { ...MOMENT, timeZone: 'UTC' });

/** For formats of times: the zone that is chosen. */
export function zone(): { readonly timeZone?: string } {
  return isUtc.value ? { timeZone: 'UTC' } : {};
}

function utcText(time: string): string {
  return `${new Date(time).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** Day and time by the clock that is chosen. */
export function dayText(time: string): string {
  if (isUtc.value) return utcText(time);
  return DAYS.format(new Date(time));
}

/** The time of day to the millisecond, by the clock that is chosen. */
export function clockText(time: string): string {
  return (isUtc.value ? UTC_MOMENTS : MOMENTS).format(new Date(time));
}

/** A time by both clocks, for a tooltip. */
export function bothText(time: string): string {
  return `${DAYS.format(new Date(time))} here, ${utcText(time)}`;
}
