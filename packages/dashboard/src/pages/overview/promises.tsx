import { durationText } from '../../../../pawl/src/cli/terminal/words.ts';
import type { SloJson } from '../../../../pawl/src/contract/slo.ts';
import { getAll } from '../../api.ts';
import { useLoaded } from '../../load.ts';
import { Empty } from '../../parts/notice.tsx';
import { Shown } from '../../parts/shown.tsx';
import { hrefOf } from '../../route.ts';

type Percentile = 'p50' | 'p95' | 'p99';

const PERCENTILES: readonly Percentile[] = ['p50', 'p95', 'p99'];
const RECENT = '1h';
const PROMISED = '7d';

function windowOf({ windows }: SloJson, name: string) {
  return windows.find(({ window }) => window === name)!;
}

/** What was measured against what was promised; the word says what the colour does. */
function Measured({ slo, percentile }: { slo: SloJson; percentile: Percentile }) {
  const measured = windowOf(slo, PROMISED)[`${percentile}Ms`];
  const target = slo.target[`${percentile}Ms`];
  const isMet = slo.isMet[percentile];
  if (measured === null) return <td class="number quiet">–</td>;
  const title = target === null ? 'no target' : `target: ${durationText(target)}`;
  return (
    <td class={`number ${isMet === false ? 'bad' : ''}`} title={title}>
      {durationText(measured)}
      {isMet === false && ' too slow'}
    </td>
  );
}

function Budget({ left }: { readonly left: number }) {
  const share = Math.round(100 * left);
  const level = left <= 0 ? 'failed' : left < 0.3 ? 'waiting' : 'succeeded';
  return (
    <div class="budget">
      <div
        class={`bar ${level}`}
        role="meter"
        aria-label="Error budget left"
        aria-valuenow={Math.max(0, share)}
        aria-valuemin={0}
        aria-valuemax={100}
      >
        <i style={{ width: `${Math.min(100, Math.max(0, share))}%` }} />
      </div>
      <span>{left < 0 ? 'overspent' : `${share} %`}</span>
    </div>
  );
}

function burnText(slo: SloJson): string {
  const { burnRate } = windowOf(slo, RECENT);
  return burnRate === null ? '–' : `× ${burnRate.toFixed(1)}`;
}

/** How each type keeps what it promises over seven days. */
export function Promises() {
  const slos = useLoaded(() => getAll<SloJson>('./v1/slo'), [], { everyMs: 10_000 });
  return (
    <section class="card wide">
      <h2>SLOs, last 7 days</h2>
      <Shown of={slos}>{({ items }) => <Kept slos={items} />}</Shown>
    </section>
  );
}

function Kept({ slos }: { readonly slos: readonly SloJson[] }) {
  const seen = slos.filter((slo) => {
    const { counts } = windowOf(slo, PROMISED);
    return counts.succeeded + counts.failed > 0;
  });
  if (seen.length === 0) {
    return (
      <Empty title="No finished jobs yet">Durations and failure rates appear as jobs finish.</Empty>
    );
  }
  return (
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th>Type</th>
            {PERCENTILES.map((one) => (
              <th class="number" key={one}>
                {one}
              </th>
            ))}
            <th class="number">Failure rate</th>
            <th
              class="number"
              title="How fast the error budget is spent: at 1 it lasts exactly a week"
            >
              Burn rate, 1 h
            </th>
            <th>Budget left</th>
          </tr>
        </thead>
        <tbody>
          {seen.map((slo) => (
            <tr key={slo.type}>
              <td>
                <a href={hrefOf(['jobs'], { type: slo.type })}>{slo.type}</a>
              </td>
              {PERCENTILES.map((one) => (
                <Measured key={one} slo={slo} percentile={one} />
              ))}
              <td class={`number ${slo.isMet.failureRate === false ? 'bad' : ''}`}>
                {(100 * (windowOf(slo, PROMISED).failureRate ?? 0)).toFixed(1)} %
              </td>
              <td class="number">{burnText(slo)}</td>
              <td>
                <Budget left={slo.errorBudgetRemaining} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
