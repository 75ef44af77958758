import { seconds } from '../../activity.ts';
import { Chart } from '../../parts/chart.tsx';

const LINES = [
  { title: 'accepted', ink: '--ready' },
  { title: 'succeeded', ink: '--good' },
  { title: 'failed', ink: '--bad' },
];

/** The last five minutes, second by second. */
export function Throughput() {
  const rows = seconds.value;
  return (
    <section class="card wide">
      <h2>Throughput, jobs a second</h2>
      <Chart
        label="Jobs accepted, succeeded and failed a second over the last five minutes"
        lines={LINES}
        times={rows.map(({ at }) => at)}
        values={[
          rows.map(({ created }) => created),
          rows.map(({ succeeded }) => succeeded),
          rows.map(({ failed }) => failed),
        ]}
      />
    </section>
  );
}
