import type { JobJson } from '../../../pawl/src/contract/job.ts';
import { get } from '../api.ts';
import { useLoaded } from '../load.ts';
import type { Page } from '../page.ts';
import { Ago } from '../parts/ago.tsx';
import { Shown } from '../parts/shown.tsx';
import { StateChip } from '../parts/state-chip.tsx';
import { hrefOf, isJobId, place } from '../route.ts';
import { Conversion } from './studio/conversion.tsx';
import { Drop } from './studio/drop.tsx';

const SHOWN = 8;

function nameOf({ id, metadata }: JobJson): string {
  const { fileName } = metadata as { fileName?: unknown };
  return typeof fileName === 'string' ? fileName : `…${id.slice(-8)}`;
}

function Lately({ current }: { readonly current: string }) {
  const page = useLoaded(
    () => get<Page<JobJson>>('./v1/jobs', { type: 'convert', limit: SHOWN }),
    [current],
    { everyMs: 2_000 },
  );
  return (
    <Shown of={page}>
      {({ items }) => (
        <ul class="lines loose">
          {items.length === 0 && <li class="quiet">Documents that you drop are listed here.</li>}
          {items.map((job) => (
            <li key={job.id}>
              <a
                class="breaks"
                href={hrefOf(['studio'], { job: job.id })}
                aria-current={job.id === current ? 'true' : undefined}
              >
                {nameOf(job)}
              </a>
              <StateChip job={job} />
              <Ago time={job.createdAt} />
            </li>
          ))}
        </ul>
      )}
    </Shown>
  );
}

/** Documents in, decks out: the built-in jobs at work on a file of yours. */
export function StudioPage() {
  const asked = place.value.query.get('job') ?? '';
  const id = isJobId(asked) ? asked : '';
  return (
    <>
      <h1>Studio</h1>
      <div class="grid studio">
        <aside class="card">
          <Drop />
          <h2>Recent</h2>
          <Lately current={id} />
        </aside>
        <div class="stack">
          {id === '' ? (
            <div class="empty">
              <b>A document becomes a deck</b>
              It is read and drawn slide by slide. Then export it, or ask questions about it.
            </div>
          ) : (
            <Conversion key={id} id={id} />
          )}
        </div>
      </div>
    </>
  );
}
