import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { JobJson } from '../../../src/http/schema/job.ts';
import { seconds } from '../activity.ts';
import { get } from '../api.ts';
import { isForSomethingElse } from '../keys.ts';
import { useLoaded } from '../load.ts';
import type { Page } from '../page.ts';
import { Empty } from '../parts/notice.tsx';
import { Shown } from '../parts/shown.tsx';
import { go, hrefOf, place } from '../route.ts';
import { Bulk } from './jobs/bulk.tsx';
import { filterOf, Filters } from './jobs/filters.tsx';
import { Rows } from './jobs/rows.tsx';

const PAGE = 50;

/** j and k move, Enter opens, x chooses: the list can be worked without a mouse. */
function useKeys(jobs: readonly JobJson[], choose: (id: string) => void) {
  const at = useSignal(-1);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (isForSomethingElse(event)) return;
      const job = jobs[at.value];
      if (event.key === 'j') at.value = Math.min(jobs.length - 1, at.value + 1);
      else if (event.key === 'k') at.value = Math.max(0, at.value - 1);
      else if (event.key === 'Enter' && job !== undefined && event.target === document.body) {
        go(hrefOf(['jobs', job.id]));
      } else if (event.key === 'x' && job !== undefined) choose(job.id);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [jobs]);
  return at;
}

function List({ jobs, onDone }: { readonly jobs: readonly JobJson[]; onDone: () => void }) {
  const chosen = useSignal<ReadonlySet<string>>(new Set());
  const choose = (id: string): void => {
    const next = new Set(chosen.value);
    if (!next.delete(id)) next.add(id);
    chosen.value = next;
  };
  const chooseAll = (): void => {
    const isWhole = jobs.every(({ id }) => chosen.value.has(id));
    chosen.value = new Set(isWhole ? [] : jobs.map(({ id }) => id));
  };
  const at = useKeys(jobs, choose);
  if (jobs.length === 0) {
    return <Empty title="No such jobs">Widen the filter, or enqueue one.</Empty>;
  }
  return (
    <>
      <div class="row bulk">
        <Bulk
          jobs={jobs.filter(({ id }) => chosen.value.has(id))}
          onDone={() => {
            chosen.value = new Set();
            onDone();
          }}
        />
        <span class="quiet wide-only">
          <kbd>j</kbd> <kbd>k</kbd> move · <kbd>x</kbd> choose · <kbd>Enter</kbd> open
        </span>
      </div>
      <Rows jobs={jobs} chosen={chosen.value} at={at.value} choose={choose} chooseAll={chooseAll} />
    </>
  );
}

/** The list of jobs: filtered by its address, fresh whenever something happens. */
export function JobsPage() {
  const filter = filterOf();
  const cursor = place.value.query.get('cursor') ?? '';
  const address = JSON.stringify([filter, cursor]);
  const page = useLoaded(
    () => get<Page<JobJson>>('./v1/jobs', { ...filter, cursor, limit: PAGE }),
    [address],
    { everyMs: 5_000 },
  );
  const pulse = seconds.value.at(-1)!;
  useEffect(() => {
    if (pulse.created + pulse.succeeded + pulse.failed > 0) page.reload();
  }, [pulse.at]);
  return (
    <>
      <h1>Jobs</h1>
      <Filters />
      <Shown of={page}>
        {({ items, nextCursor }) => (
          <>
            <List key={address} jobs={items} onDone={page.reload} />
            <nav class="row" aria-label="Pages of jobs">
              {cursor !== '' && <a href={hrefOf(['jobs'], filter)}>← newest</a>}
              {nextCursor !== null && (
                <a href={hrefOf(['jobs'], { ...filter, cursor: nextCursor })}>older →</a>
              )}
            </nav>
          </>
        )}
      </Shown>
    </>
  );
}
