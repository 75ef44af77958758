import { useSignal } from '@preact/signals';
import type { PastJson } from '../../../../pawl/src/contract/past.ts';
import { get } from '../../api.ts';
import { useLoaded } from '../../load.ts';
import { ExactTime } from '../../parts/exact-time.tsx';
import { Shown } from '../../parts/shown.tsx';
import { hrefOf } from '../../route.ts';
import { chosenRange, type Range } from './ranges.tsx';

const STEPS = 240;

/** The moments of the slider: as much of the range as the log still covers, by the server's clock. */
function momentAt(newest: PastJson, { ms }: Range, step: number): number {
  const to = Date.parse(newest.at);
  const from = Math.max(to - ms, newest.since === null ? to : Date.parse(newest.since));
  return Math.round(from + ((to - from) * step) / STEPS);
}

function Places({ past }: { readonly past: PastJson }) {
  const total = past.places.reduce((sum, { count }) => sum + count, 0);
  return (
    <>
      <p>
        At <ExactTime time={past.at} />, <b>{total.toLocaleString('en')}</b>{' '}
        {total === 1 ? 'job' : 'jobs'} had not ended.
      </p>
      {total > 0 && (
        <div class="scroll">
          <table>
            <thead>
              <tr>
                <th>Queue</th>
                <th>Type</th>
                <th>State</th>
                <th class="number">Jobs</th>
              </tr>
            </thead>
            <tbody>
              {past.places.map(({ queue, type, state, count }) => (
                <tr key={JSON.stringify([queue, type, state])}>
                  <td>
                    <a href={hrefOf(['queues', queue])}>{queue}</a>
                  </td>
                  <td>
                    <a href={hrefOf(['types', type])}>{type}</a>
                  </td>
                  <td>{state}</td>
                  <td class="number">{count.toLocaleString('en')}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}

function Slider({ newest }: { readonly newest: PastJson }) {
  const range = chosenRange();
  const step = useSignal(STEPS);
  const at = new Date(momentAt(newest, range, step.value)).toISOString();
  const past = useLoaded(() => get<PastJson>('./v1/past', { at }), [at]);
  return (
    <div class="stack">
      <label class="field">
        Moment, over the time range of the charts
        <input
          type="range"
          class="slider"
          min={0}
          max={STEPS}
          value={step.value}
          aria-valuetext={at}
          onInput={(event) => (step.value = event.currentTarget.valueAsNumber)}
        />
      </label>
      <Shown of={past}>{(found) => <Places past={found} />}</Shown>
    </div>
  );
}

function Opened() {
  const newest = useLoaded(() => get<PastJson>('./v1/past'), []);
  return <Shown of={newest}>{(found) => <Slider newest={found} />}</Shown>;
}

/** Where jobs stood at a moment of the range. It reads the log, so it waits until it is opened. */
export function PastMoment() {
  const isOpen = useSignal(false);
  return (
    <details class="card preview" onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
      <summary>Where jobs stood at a past moment</summary>
      {isOpen.value && <Opened />}
    </details>
  );
}
