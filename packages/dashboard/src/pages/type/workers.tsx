import type { WorkerJson } from '../../../../pawl/src/contract/worker-sign.ts';
import { getAll } from '../../api.ts';
import { useLoaded } from '../../load.ts';
import { Ago } from '../../parts/ago.tsx';
import { Empty } from '../../parts/notice.tsx';
import { Shown } from '../../parts/shown.tsx';
import { hrefOf } from '../../route.ts';
import { LEVELS, shortName } from '../worker/standing.tsx';

interface Given {
  readonly type: string;
  readonly revision: number;
  readonly updatedAt: string;
}

/** Which handlers run the type: the definition's revision, and the versions of the workers. */
export function TypeWorkers({ type, revision, updatedAt }: Given) {
  const page = useLoaded(() => getAll<WorkerJson>('./v1/workers'), [], {
    everyMs: 5_000,
  });
  return (
    <section class="card reserved" aria-label="Handlers">
      <h2>Handlers</h2>
      <p class="quiet">
        Definition: revision {revision}, changed <Ago time={updatedAt} />
      </p>
      <Shown of={page}>
        {({ items }) => {
          const own = items.filter(({ types }) => types.includes(type));
          if (own.length === 0) {
            return (
              <Empty title="No worker runs this type">
                Its jobs wait until one does: start one with{' '}
                <code>pawl worker --jobs ./jobs.ts</code>
              </Empty>
            );
          }
          return (
            <ul class="lines">
              {own.map((worker) => (
                <li key={worker.id}>
                  <span class={`state ${LEVELS[worker.state]}`}>{worker.state}</span>
                  <a class="mono breaks" href={hrefOf(['workers', worker.id])} title={worker.id}>
                    {shortName(worker.id)}
                  </a>
                  <span>version {worker.version ?? 'unknown'}</span>
                </li>
              ))}
            </ul>
          );
        }}
      </Shown>
    </section>
  );
}
