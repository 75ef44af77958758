import { durationText } from '../../../../pawl/src/cli/terminal/words.ts';
import type { ProviderJson, ProvidersJson } from '../../../../pawl/src/contract/provider.ts';
import { ApiError, get } from '../../api.ts';
import { useLoaded } from '../../load.ts';
import { Ago } from '../../parts/ago.tsx';
import { ProblemBox } from '../../parts/notice.tsx';
import { hrefOf } from '../../route.ts';

const COLUMNS = 6;

const LEVELS = {
  well: 'succeeded',
  unsteady: 'waiting',
  failing: 'failed',
  unknown: 'held',
} as const;

const WORDS = {
  well: 'well',
  unsteady: 'unsteady',
  failing: 'failing',
  unknown: 'not checked yet',
} as const;

function Latency({ latency }: Pick<ProviderJson, 'latency'>) {
  if (latency === null) return <span class="quiet">–</span>;
  const { p50Ms, p95Ms, p99Ms } = latency;
  return (
    <>
      {durationText(p50Ms)}
      <span class="quiet">
        {' '}
        · {durationText(p95Ms)} · {durationText(p99Ms)}
      </span>
    </>
  );
}

function Failures({ provider: { calls, failures } }: { readonly provider: ProviderJson }) {
  if (calls === 0) return <span class="quiet">–</span>;
  const percent = (100 * failures) / calls;
  return (
    <>
      {percent.toFixed(percent > 0 && percent < 10 ? 1 : 0)} %
      <span class="quiet">
        {' '}
        {failures} of {calls}
      </span>
    </>
  );
}

/** What went wrong last, and how long it is spared for it. */
function FaultRow({ provider }: { readonly provider: ProviderJson }) {
  const { lastFault, lastFailureAt, failuresInARow, leftAloneUntil } = provider;
  if (lastFault === null) return null;
  return (
    <tr class="under">
      <td colSpan={COLUMNS}>
        <div class="quiet">
          Last error <Ago time={lastFailureAt} />
          {failuresInARow > 1 && `, ${failuresInARow} times in a row`}: {lastFault}
          {leftAloneUntil !== null && (
            <>
              . Its processes are asked for again <Ago time={leftAloneUntil} />
            </>
          )}
        </div>
      </td>
    </tr>
  );
}

function Jobs({ provider: { jobs, atLeast } }: { readonly provider: ProviderJson }) {
  const phases = Object.entries(jobs);
  if (phases.length === 0) return <span class="quiet">none</span>;
  const plus = (phase: string): string => (atLeast.includes(phase) ? '+' : '');
  return <>{phases.map(([phase, count]) => `${count}${plus(phase)} ${phase}`).join(', ')}</>;
}

function ProviderRow({ provider }: { readonly provider: ProviderJson }) {
  const { name, title, url, state, latency, lastSuccessAt } = provider;
  return (
    <tr>
      <td>
        <b>{name}</b> {title}
        <div class="quiet mono breaks">{url}</div>
      </td>
      <td>
        <span class={`state ${LEVELS[state]}`}>{WORDS[state]}</span>
      </td>
      <td>
        <Failures provider={provider} />
      </td>
      <td>
        <Latency latency={latency} />
      </td>
      <td>
        <Ago time={lastSuccessAt} />
      </td>
      <td>
        <a href={hrefOf(['jobs'], { text: `ogc/${name}` })}>
          <Jobs provider={provider} />
        </a>
      </td>
    </tr>
  );
}

function Table({ items, measured }: ProvidersJson) {
  return (
    <section class="card" aria-label="Providers">
      <h2>Providers</h2>
      <div class="scroll" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th>Provider</th>
              <th>Health</th>
              <th>Failing</th>
              <th title="50th, 95th and 99th percentile of successful requests">
                Latency p50 · p95 · p99
              </th>
              <th>Last success</th>
              <th>Jobs</th>
            </tr>
          </thead>
          <tbody>
            {items.flatMap((provider) => [
              <ProviderRow key={provider.name} provider={provider} />,
              <FaultRow key={`${provider.name} fault`} provider={provider} />,
            ])}
          </tbody>
        </table>
      </div>
      <p class="quiet">
        Measured by the server process that answered ({measured.host}, pid {measured.pid}) over the
        last {durationText(measured.windowMs)}; it started <Ago time={measured.since} />. Other
        processes have their own figures. Job counts cover the whole platform.
      </p>
    </section>
  );
}

/** How those answer who carry processes out elsewhere. */
export function Providers() {
  const page = useLoaded(() => get<ProvidersJson>('./v1/providers'), [], { everyMs: 3_000 });
  const { error, value } = page;
  if (error.value !== null) {
    // It is for those who run the platform; others have the list of processes below.
    const isHidden = error.value instanceof ApiError && error.value.status === 403;
    return isHidden ? null : <ProblemBox error={error.value} />;
  }
  return value.value === null || value.value.items.length === 0 ? null : <Table {...value.value} />;
}
