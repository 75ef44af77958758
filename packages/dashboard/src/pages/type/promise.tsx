import { durationText } from '../../../../pawl/src/cli/terminal/words.ts';
import type { SloJson } from '../../../../pawl/src/contract/slo.ts';
import { getAll } from '../../api.ts';
import { useLoaded } from '../../load.ts';
import { Empty } from '../../parts/notice.tsx';
import { Shown } from '../../parts/shown.tsx';

type Window = SloJson['windows'][number];

function took(ms: number | null): string {
  return ms === null ? '–' : durationText(ms);
}

function share(rate: number | null): string {
  return rate === null ? '–' : `${(100 * rate).toFixed(1)} %`;
}

function ended({ counts: { succeeded, failed, refused, cancelled } }: Window): string {
  return (succeeded + failed + refused + cancelled).toLocaleString('en');
}

function Windows({ windows }: { readonly windows: readonly Window[] }) {
  return (
    <div class="scroll" role="group" aria-label="Durations" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th>Last</th>
            <th class="number">Ended</th>
            <th class="number">Failed</th>
            <th class="number">p50</th>
            <th class="number">p95</th>
            <th class="number">p99</th>
          </tr>
        </thead>
        <tbody>
          {windows.map((window) => (
            <tr key={window.window}>
              <td>{window.window}</td>
              <td class="number">{ended(window)}</td>
              <td class="number">{share(window.failureRate)}</td>
              <td class="number">{took(window.p50Ms)}</td>
              <td class="number">{took(window.p95Ms)}</td>
              <td class="number">{took(window.p99Ms)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** How long jobs of a type take and how many fail, over spans of time. */
export function TypePromise({ type }: { readonly type: string }) {
  const page = useLoaded(() => getAll<SloJson>('./v1/slo'), [type], { everyMs: 10_000 });
  return (
    <section class="card reserved" aria-label="Durations and failures">
      <h2>Durations and failures</h2>
      <Shown of={page}>
        {({ items }) => {
          const slo = items.find((one) => one.type === type);
          if (slo === undefined) return <Empty title="No finished jobs yet" />;
          return <Windows windows={slo.windows} />;
        }}
      </Shown>
    </section>
  );
}
