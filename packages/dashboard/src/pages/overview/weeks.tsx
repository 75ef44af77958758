import { durationText } from '../../../../pawl/src/cli/terminal/words.ts';
import type { HistoryJson } from '../../../../pawl/src/contract/history.ts';
import { get } from '../../api.ts';
import { useLoaded } from '../../load.ts';
import { dayText } from '../../parts/clock.ts';
import { Shown } from '../../parts/shown.tsx';

const HOUR_MS = 3_600_000;
const WEEK_MS = 7 * 24 * HOUR_MS;

interface Row {
  readonly title: string;
  /** Last week's and this week's; null where it is not known. */
  readonly values: readonly (number | null)[];
  readonly format: (value: number) => string;
  /** Whether more of it is worse. */
  readonly isBad: boolean;
}

function rowsOf({ series }: HistoryJson): Row[] {
  const failing = [0, 1].map((at) => {
    const good = series.succeeded[at] ?? null;
    const bad = (series.failed[at] ?? 0) + (series.dead[at] ?? 0);
    return good === null || good + bad === 0 ? null : bad / (good + bad);
  });
  const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
  const count = (value: number): string => value.toLocaleString('en');
  return [
    {
      title: 'p95 duration',
      values: series.durationP95Ms,
      format: durationText,
      isBad: true,
    },
    { title: 'p95 wait', values: series.waitP95Ms, format: durationText, isBad: true },
    { title: 'Succeeded jobs', values: series.succeeded, format: count, isBad: false },
    { title: 'Failure rate', values: failing, format: percent, isBad: true },
  ];
}

function changeText(before: number | null, after: number | null): string {
  if (before === null || after === null || before === 0) return '–';
  const change = Math.round(100 * (after / before - 1));
  return `${change > 0 ? '+' : ''}${change} %`;
}

function WeekRow({ row }: { readonly row: Row }) {
  const [before = null, after = null] = row.values;
  const text = (value: number | null): string => (value === null ? 'unknown' : row.format(value));
  const isWorse = row.isBad && before !== null && after !== null && after > before * 1.1;
  return (
    <tr>
      <td>{row.title}</td>
      <td class="number">{text(before)}</td>
      <td class="number">{text(after)}</td>
      <td class={`number ${isWorse ? 'bad' : ''}`}>{changeText(before, after)}</td>
    </tr>
  );
}

/** The last seven days against the seven before them. */
export function Weeks() {
  const history = useLoaded(
    () => {
      // History is told in whole hours: the second week then ends with the current one.
      const end = Math.ceil(Date.now() / HOUR_MS) * HOUR_MS;
      const from = new Date(end - 2 * WEEK_MS).toISOString();
      return get<HistoryJson>('./v1/history', { from, step: WEEK_MS / 1_000 });
    },
    [],
    { everyMs: 300_000 },
  );
  return (
    <section class="card wide" aria-label="This week vs. last week">
      <h2>This week vs. last week</h2>
      <Shown of={history}>
        {(found) => (
          <>
            <div class="scroll">
              <table>
                <thead>
                  <tr>
                    <th>
                      <span class="unseen">Figure</span>
                    </th>
                    <th class="number">7 days before</th>
                    <th class="number">Last 7 days</th>
                    <th class="number">Change</th>
                  </tr>
                </thead>
                <tbody>
                  {rowsOf(found).map((row) => (
                    <WeekRow key={row.title} row={row} />
                  ))}
                </tbody>
              </table>
            </div>
            {found.since !== null && found.since > found.from && (
              <p class="quiet">Counted since {dayText(found.since)}.</p>
            )}
          </>
        )}
      </Shown>
    </section>
  );
}
