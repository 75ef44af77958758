import { useSignal } from '@preact/signals';
import type { JobJson } from '../../../pawl/src/contract/job.ts';
import type { TypeJson } from '../../../pawl/src/contract/type.ts';
import { get } from '../api.ts';
import { useLoaded } from '../load.ts';
import type { Page } from '../page.ts';
import { Action } from '../parts/action.tsx';
import { CancelAll } from '../parts/cancel-all.tsx';
import { Crumbs } from '../parts/crumbs.tsx';
import { JobsTable } from '../parts/jobs-table.tsx';
import { Empty } from '../parts/notice.tsx';
import { Operations } from '../parts/operations.tsx';
import { Shown } from '../parts/shown.tsx';
import { hrefOf, place } from '../route.ts';
import { useTitle } from '../title.ts';
import { EnqueueForm } from './type/enqueue.tsx';
import { TypeFailures } from './type/failures.tsx';
import { TypePolicy } from './type/policy.tsx';
import { TypePromise } from './type/promise.tsx';
import { TypeWorkers } from './type/workers.tsx';

const SHOWN = 10;

/** The latest jobs of the type. */
function Recent({ type }: { readonly type: string }) {
  const page = useLoaded(() => get<Page<JobJson>>('./v1/jobs', { type, limit: SHOWN }), [type], {
    everyMs: 3_000,
  });
  return (
    <section class="card wide">
      <div class="head">
        <h2>Recent</h2>
        <a href={hrefOf(['jobs'], { type })}>all jobs</a>
      </div>
      <Shown of={page}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="No jobs of this type">Enqueue one to see what it does.</Empty>
          ) : (
            <JobsTable jobs={items} label="Recent jobs" />
          )
        }
      </Shown>
    </section>
  );
}

/** One type: what its jobs live by, who works on them, how they fare, and a form for one more. */
export function TypePage({ id: type }: { readonly id: string }) {
  const found = useLoaded(() => get<TypeJson>(`./v1/types/${encodeURIComponent(type)}`), [type], {
    everyMs: 10_000,
  });
  const isMaking = useSignal(place.peek().query.get('enqueue') !== null);
  const isCancelling = useSignal(place.peek().query.get('cancel') !== null);
  useTitle(`Type ${type}`);
  return (
    <>
      <Crumbs to={['queues']} title="Queues and types" />
      <div class="head">
        <h1 class="breaks">Type {type}</h1>
        <div class="row">
          <Action needs="jobs:operate" class="danger" onClick={() => (isCancelling.value = true)}>
            Cancel all…
          </Action>
          <Action needs="jobs:write" class="main" onClick={() => (isMaking.value = true)}>
            Enqueue…
          </Action>
        </div>
      </div>
      <Operations isBrief />
      <Shown of={found}>
        {(one) => (
          <>
            <div class="grid halves two">
              <TypeFailures type={type} />
              <TypePromise type={type} />
              <TypePolicy type={one} />
              <TypeWorkers type={type} revision={one.revision} updatedAt={one.updatedAt} />
              <Recent type={type} />
            </div>
            {isMaking.value && <EnqueueForm type={one} onClose={() => (isMaking.value = false)} />}
          </>
        )}
      </Shown>
      {isCancelling.value && (
        <CancelAll filter={{ type }} onClose={() => (isCancelling.value = false)} />
      )}
    </>
  );
}
