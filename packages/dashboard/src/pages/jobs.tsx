import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { seconds } from '../activity.ts';
import { useLoaded } from '../load.ts';
import { seesAll } from '../me.ts';
import { Action } from '../parts/action.tsx';
import { CancelAll } from '../parts/cancel-all.tsx';
import { Operations } from '../parts/operations.tsx';
import { Shown } from '../parts/shown.tsx';
import { place } from '../route.ts';
import { Filters } from './jobs/filters.tsx';
import { List } from './jobs/list.tsx';
import { findJobs, type Found } from './jobs/search.ts';
import { filterOf, isSearch, queryOf, type View, viewHref, viewOf } from './jobs/view.ts';
import { Views } from './jobs/views.tsx';

/** A search is dear, so it is not done again whenever something happens. */
const SEARCH_EVERY_MS = 15_000;
const LIST_EVERY_MS = 5_000;

interface PagesGiven {
  readonly view: View;
  readonly cursor: string;
  readonly found: Found;
}

/** To the other pages; a search that found little has not looked at everything. */
function Pages({ view, cursor, found: { nextCursor, isFull } }: PagesGiven) {
  return (
    <nav class="row" aria-label="Pages of jobs">
      {cursor !== '' && <a href={viewHref(view)}>← newest</a>}
      {nextCursor !== null && !isFull && (
        <span class="quiet">A search covers a few thousand jobs at a time.</span>
      )}
      {nextCursor !== null && (
        <a href={viewHref(view, nextCursor)}>{isFull ? 'older →' : 'search older jobs →'}</a>
      )}
    </nav>
  );
}

/** The list of jobs: filtered by its address, fresh whenever something happens. */
export function JobsPage() {
  const view = viewOf();
  const cursor = place.value.query.get('cursor') ?? '';
  // Sorting asks the server for nothing.
  const address = JSON.stringify([{ ...view, sort: '' }, cursor]);
  const isSearching = isSearch(view);
  const filter = filterOf(view);
  const isCancelling = useSignal(false);
  const page = useLoaded(() => findJobs(queryOf(view), cursor), [address], {
    everyMs: isSearching ? SEARCH_EVERY_MS : LIST_EVERY_MS,
  });
  const pulse = seconds.value.at(-1)!;
  useEffect(() => {
    if (!isSearching && pulse.created + pulse.succeeded + pulse.failed > 0) page.reload();
  }, [pulse.at]);
  return (
    <>
      <div class="head">
        <h1>Jobs</h1>
        {filter !== null && seesAll() && (
          <Action needs="jobs:operate" class="danger" onClick={() => (isCancelling.value = true)}>
            Cancel all matching…
          </Action>
        )}
      </div>
      <Views />
      <Filters />
      {seesAll() && <Operations isBrief />}
      <Shown of={page}>
        {(found) => (
          <>
            <List key={address} jobs={found.items} onDone={page.reload} />
            <Pages view={view} cursor={cursor} found={found} />
          </>
        )}
      </Shown>
      {isCancelling.value && filter !== null && (
        <CancelAll filter={filter} onClose={() => (isCancelling.value = false)} />
      )}
    </>
  );
}
