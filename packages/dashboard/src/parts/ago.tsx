import { sinceText } from '../../../pawl/src/cli/terminal/words.ts';
import { now } from '../now.ts';
import { bothText } from './clock.ts';

const NOW_MS = 1_000;

/** Our clock and the server's differ a little, so the last second is "now". */
function ago(time: string): string {
  const isNow = Math.abs(now.value - Date.parse(time)) < NOW_MS;
  return isNow ? 'now' : sinceText(time, now.value);
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
