import { useEffect } from 'preact/hooks';
import { seconds } from '../activity.ts';
import { useLoaded } from '../load.ts';
import { Shown } from '../parts/shown.tsx';
import { place } from '../route.ts';
import { Filters } from './jobs/filters.tsx';
import { List } from './jobs/list.tsx';
import { findJobs, type Found } from './jobs/search.ts';
import { isSearch, queryOf, type View, viewHref, viewOf } from './jobs/view.ts';
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
        <span class="quiet">A search looks at some thousand jobs at a time.</span>
      )}
      {nextCursor !== null && (
        <a href={viewHref(view, nextCursor)}>{isFull ? 'older →' : 'look further back →'}</a>
      )}
    </nav>
  );
}

/** The list of jobs: filtered by its address, fresh whenever something happens. */
export function JobsPage() {
  const view = viewOf();
  const cursor = place.value.query.get('cursor') ?? '';
  const address = JSON.stringify([view, cursor]);
  const isSearching = isSearch(view);
  const page = useLoaded(() => findJobs(queryOf(view), cursor), [address], {
    everyMs: isSearching ? SEARCH_EVERY_MS : LIST_EVERY_MS,
  });
  const pulse = seconds.value.at(-1)!;
  useEffect(() => {
    if (!isSearching && pulse.created + pulse.succeeded + pulse.failed > 0) page.reload();
  }, [pulse.at]);
  return (
    <>
      <h1>Jobs</h1>
      <Views />
      <Filters />
      <Shown of={page}>
        {(found) => (
          <>
            <List key={address} jobs={found.items} onDone={page.reload} />
            <Pages view={view} cursor={cursor} found={found} />
          </>
        )}
      </Shown>
    </>
  );
}
