import { bothText, clockText, dayText } from './clock.ts';

interface Given {
  readonly time: string;
  /** The time of day to the millisecond, where the day goes without saying. */
  readonly isClock?: boolean;
}

/** A time as clocks show it; by the other clock on hover. */
export function ExactTime({ time, isClock = false }: Given) {
  return (
    <time class={isClock ? 'quiet mono' : 'quiet'} dateTime={time} title={bothText(time)}>
      {isClock ? clockText(time) : dayText(time)}
    </time>
  );
}
