import { sinceText } from '../../../src/cli/terminal/words.ts';
import { now } from '../now.ts';

/** A time as people say it; the exact one on hover, here and in UTC. */
export function Ago({ time }: { readonly time: string | null }) {
  if (time === null) return <span class="quiet">–</span>;
  return (
    <time dateTime={time} title={`${new Date(time).toLocaleString()} here, ${time} in UTC`}>
      {sinceText(time, now.value)}
    </time>
  );
}
