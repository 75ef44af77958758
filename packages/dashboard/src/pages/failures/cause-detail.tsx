import type { FailureCauseJson, FailureDetailJson } from '../../../../pawl/src/contract/failure.ts';
import { get } from '../../api.ts';
import { useLoaded } from '../../load.ts';
import { dayText } from '../../parts/clock.ts';
import { Shown } from '../../parts/shown.tsx';
import { Spark } from '../../parts/spark.tsx';

type Counted = FailureDetailJson['queues'];

interface CountsGiven {
  readonly title: string;
  readonly counts: Counted;
  /** Not all were counted. */
  readonly isMore?: boolean;
}

function Counts({ title, counts, isMore = false }: CountsGiven) {
  if (counts.length === 0) return null;
  return (
    <div>
      <h3>{title}</h3>
      {counts.slice(0, 5).map(({ name, count }) => (
        <div key={name} class="breaks">
          {name} <span class="quiet">× {count}</span>
        </div>
      ))}
      {isMore && <div class="quiet">and more (not counted)</div>}
    </div>
  );
}

/** What the workers said of themselves; of some nothing may be known. */
function Versions({ versions }: { readonly versions: FailureDetailJson['versions'] }) {
  const { names, looked, unknown } = versions;
  return (
    <div>
      <h3>Worker versions, last {looked === 1 ? 'job' : `${looked} jobs`}</h3>
      {names.map(({ name, count }) => (
        <div key={name} class="breaks">
          {name} <span class="quiet">× {count}</span>
        </div>
      ))}
      {unknown > 0 && <div class="quiet">unknown × {unknown}</div>}
    </div>
  );
}

/** Where, when and why; asked for when somebody wants to see it. */
export function CauseDetail({ cause }: { readonly cause: FailureCauseJson }) {
  const { fingerprint, count } = cause;
  const detail = useLoaded(
    () => get<FailureDetailJson>(`./v1/failures/${fingerprint}`),
    [fingerprint, count],
  );
  return (
    <Shown of={detail}>
      {({ queues, stages, versions, tenants, stack, counts, rerunnable }) => (
        <>
          <div class="cause-facts">
            <div>
              <h3>Over time, since {dayText(counts.from)}</h3>
              <Spark values={counts.counts} label={`Failures since ${dayText(counts.from)}`} />
            </div>
            <Counts title="Queues" counts={queues} />
            <Counts title="Stages" counts={stages} />
            <Versions versions={versions} />
            {tenants !== null && (
              <Counts title="Tenants" counts={tenants.names} isMore={!tenants.isWhole} />
            )}
            <div>
              <h3>Not run again yet</h3>
              {rerunnable} of {count}
            </div>
          </div>
          {stack === null ? <p class="quiet">No stack trace was recorded.</p> : <pre>{stack}</pre>}
        </>
      )}
    </Shown>
  );
}
