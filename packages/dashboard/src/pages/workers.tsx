import type { WorkerJson } from '../../../pawl/src/contract/worker-sign.ts';
import { getAll } from '../api.ts';
import { useLoaded } from '../load.ts';
import { Ago } from '../parts/ago.tsx';
import { JobLink } from '../parts/job-link.tsx';
import { GuideLink } from '../parts/guide-link.tsx';
import { Empty } from '../parts/notice.tsx';
import { Shown } from '../parts/shown.tsx';
import { hrefOf } from '../route.ts';
import { LEVELS, shortName, Slots } from './worker/standing.tsx';

const LEASES_SHOWN = 4;

function WorkerRow({ worker }: { readonly worker: WorkerJson }) {
  const { id, host, pid, version, types, leases, state } = worker;
  return (
    <tr>
      <td>
        <a class="mono breaks" href={hrefOf(['workers', id])} title={id}>
          {shortName(id)}
        </a>
        <div class="quiet">
          {[host, pid === null ? null : `pid ${pid}`].filter(Boolean).join(', ')}
        </div>
      </td>
      <td>
        <span class={`state ${LEVELS[state]}`}>{state}</span>
        {worker.isDrainAsked === true && <div class="quiet">asked to drain</div>}
      </td>
      <td data-label="slots">
        <Slots worker={worker} />
      </td>
      <td class="grow">
        {leases.slice(0, LEASES_SHOWN).map((job) => [<JobLink key={job} id={job} />, ' '])}
        {leases.length > LEASES_SHOWN && <span class="quiet">+{leases.length - LEASES_SHOWN}</span>}
      </td>
      <td class="grow">{types.join(', ')}</td>
      <td data-label="version">{version ?? '–'}</td>
      <td class="clock" data-label="last heartbeat">
        <Ago time={worker.lastBeatAt} />
      </td>
      <td class="clock" data-label="started">
        <Ago time={worker.startedAt} />
      </td>
    </tr>
  );
}

function Workers({ workers }: { readonly workers: readonly WorkerJson[] }) {
  if (workers.length === 0) {
    return (
      <Empty title="No workers yet">
        Start one with <code>pawl worker --jobs ./jobs.ts</code>; jobs wait until then.
        <GuideLink to="learn/first-job">A first job, step by step</GuideLink>
      </Empty>
    );
  }
  return (
    <section class="card scroll" aria-label="Workers" tabIndex={0}>
      <table class="rows">
        <thead>
          <tr>
            <th>Worker</th>
            <th>State</th>
            <th>Slots</th>
            <th>In flight</th>
            <th>Types</th>
            <th>Version</th>
            <th>Last heartbeat</th>
            <th>Started</th>
          </tr>
        </thead>
        <tbody>
          {workers.map((worker) => (
            <WorkerRow key={worker.id} worker={worker} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Who works, on what, and when it was last heard of. */
export function WorkersPage() {
  const page = useLoaded(() => getAll<WorkerJson>('./v1/workers'), [], {
    everyMs: 2_000,
  });
  return (
    <>
      <h1>Workers</h1>
      <Shown of={page}>{({ items }) => <Workers workers={items} />}</Shown>
    </>
  );
}
