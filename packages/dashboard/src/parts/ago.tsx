import { sinceText } from '../../../pawl/src/cli/terminal/words.ts';
import { now } from '../now.ts';
import { bothText, dayText } from './clock.ts';

const NOW_MS = 1_000;
/** So far away a number of days tells nobody when it is. */
const DATE_FROM_MS = 90 * 86_400_000;

/** Our clock and the server's differ a little, so the last second is "now". */
function ago(time: string): string {
  const awayMs = Math.abs(now.value - Date.parse(time));
  if (awayMs > DATE_FROM_MS) return dayText(time);
  return awayMs < NOW_MS ? 'now' : sinceText(time, now.value);
}

/** A time as people say it; the exact one on hover, here and in UTC. */
export function Ago({ time }: { readonly time: string | null }) {
  if (time === null) return <span class="quiet">–</span>;
  return (
    <time dateTime={time} title={bothText(time)}>
      {ago(time)}
    </time>
  );
}
