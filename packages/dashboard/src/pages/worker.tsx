import { useSignal } from '@preact/signals';
import type { OneWorkerJson } from '../../../pawl/src/contract/worker-sign.ts';
import { get, send } from '../api.ts';
import { useLoaded } from '../load.ts';
import { Action } from '../parts/action.tsx';
import { Ago } from '../parts/ago.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Crumbs } from '../parts/crumbs.tsx';
import { Facts } from '../parts/facts.tsx';
import { IdText } from '../parts/id-text.tsx';
import { JobsTable } from '../parts/jobs-table.tsx';
import { Empty, say } from '../parts/notice.tsx';
import { Shown } from '../parts/shown.tsx';
import { TypeLink } from '../parts/type-link.tsx';
import { useTitle } from '../title.ts';
import { LEVELS, shortName, Slots } from './worker/standing.tsx';

interface Given {
  readonly worker: OneWorkerJson;
  readonly onDone: () => void;
}

function Drain({ worker, onDone }: Given) {
  const isAsking = useSignal(false);
  if (worker.isDrainAsked === true) return <span class="state waiting">asked to drain</span>;
  const drain = async (): Promise<void> => {
    await send('POST', `./v1/workers/${encodeURIComponent(worker.id)}/drain`, {});
    say('Drain requested; the worker is notified within 10 seconds');
    onDone();
  };
  const { length } = worker.jobs;
  return (
    <>
      <Action needs="queues:write" class="danger" onClick={() => (isAsking.value = true)}>
        Drain…
      </Action>
      {isAsking.value && (
        <Confirm
          title="Drain this worker?"
          action="Drain worker"
          isDanger
          onConfirm={drain}
          onClose={() => (isAsking.value = false)}
        >
          <p>
            It claims no more jobs and exits.{' '}
            {length === 0
              ? 'It has no jobs in flight.'
              : `Its ${length === 1 ? 'job has' : `${length} jobs have`} 30 seconds to finish; what is left then goes back to the queue without spending an attempt.`}
          </p>
          <p class="quiet">
            Its process manager may start it again. A worker inside the server comes back when the
            server restarts.
          </p>
        </Confirm>
      )}
    </>
  );
}

function Standing({ worker }: { readonly worker: OneWorkerJson }) {
  const { host, pid, version, types, revisions = {} } = worker;
  return (
    <section class="card">
      <h2>Status</h2>
      <Facts
        facts={[
          ['Slots in use', <Slots worker={worker} />],
          ['Last heartbeat', <Ago time={worker.lastBeatAt} />],
          ['Started', <Ago time={worker.startedAt} />],
          ['Version', version ?? 'unknown'],
          ['Host', host === null ? 'unknown' : `${host}${pid === null ? '' : `, pid ${pid}`}`],
          [
            'Types',
            types.length === 0
              ? 'no types'
              : types.map((type, index) => [
                  index > 0 && ', ',
                  <TypeLink key={type} type={type} />,
                  revisions[type] && <span class="quiet"> {revisions[type].name}</span>,
                ]),
          ],
          ['Tenants', worker.isShared === true ? 'all tenants' : 'this tenant'],
        ]}
      />
    </section>
  );
}

/** One worker: what it has in flight, since when, and how it is. */
export function WorkerPage({ id }: { readonly id: string }) {
  const path = `./v1/workers/${encodeURIComponent(id)}`;
  const worker = useLoaded(() => get<OneWorkerJson>(path), [id], { everyMs: 2_000 });
  const found = worker.value.value;
  useTitle(`Worker ${shortName(id)}`);
  return (
    <>
      <Crumbs to={['workers']} title="Workers" />
      <div class="head">
        <div>
          <h1>
            Worker {shortName(id)}{' '}
            {found !== null && <span class={`state ${LEVELS[found.state]}`}>{found.state}</span>}
          </h1>
          <IdText id={id} what="Worker id" />
        </div>
        {found !== null && <Drain worker={found} onDone={worker.reload} />}
      </div>
      <Shown of={worker}>
        {(one) => (
          <>
            <section class="card">
              <h2>In flight</h2>
              {one.jobs.length === 0 ? (
                <Empty title="No jobs in flight">
                  It takes the next job of its types as soon as there is one.
                </Empty>
              ) : (
                <JobsTable
                  jobs={one.jobs}
                  label="Jobs in flight"
                  since={({ startedAt, updatedAt }) => startedAt ?? updatedAt}
                />
              )}
              {one.busy > one.jobs.length && (
                <p class="quiet">
                  {one.jobs.length} of {one.busy} are shown.
                </p>
              )}
            </section>
            <Standing worker={one} />
          </>
        )}
      </Shown>
    </>
  );
}
