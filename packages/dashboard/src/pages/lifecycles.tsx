import type { JobJson } from '../../../pawl/src/contract/job.ts';
import type { LifecycleJson } from '../../../pawl/src/contract/lifecycle.ts';
import { get, getAll } from '../api.ts';
import { useLoaded } from '../load.ts';
import type { Page } from '../page.ts';
import { LifecyclePicture } from '../parts/lifecycle-picture.tsx';
import { Shown } from '../parts/shown.tsx';

const LIVING = ['held', 'ready', 'leased', 'executing', 'waiting'];
const COUNTED_MAX = 500;

interface Counts {
  readonly byState: ReadonlyMap<string, number>;
  /** More were there than were counted. */
  readonly isCut: boolean;
}

function keyOf(lifecycle: string, state: string): string {
  return `${lifecycle} ${state}`;
}

/** Jobs that have not ended, by lifecycle and state. */
async function countLiving(): Promise<Counts> {
  const pages = await Promise.all(
    LIVING.map((phase) => get<Page<JobJson>>('./v1/jobs', { phase, limit: COUNTED_MAX })),
  );
  const jobs = pages.flatMap(({ items }) => items);
  const groups = Map.groupBy(jobs, ({ lifecycle, state }) => keyOf(lifecycle, state));
  return {
    byState: new Map([...groups].map(([key, found]) => [key, found.length])),
    isCut: pages.some(({ nextCursor }) => nextCursor !== null),
  };
}

/** Only where a job can stay: ended ones are not counted. */
function countsOf({ name, places }: LifecycleJson, { byState }: Counts): Record<string, number> {
  const living = places.filter(({ phase }) => LIVING.includes(phase));
  return Object.fromEntries(
    living.map(({ state }) => [state, byState.get(keyOf(name, state)) ?? 0]),
  );
}

/** The tables that jobs move by, as pictures, with who stands where. */
export function LifecyclesPage() {
  const page = useLoaded(() => getAll<LifecycleJson>('./v1/lifecycles'), []);
  const counts = useLoaded(countLiving, [], { everyMs: 5_000 });
  const counted = counts.value.value;
  return (
    <>
      <div class="head">
        <h1>Lifecycles</h1>
        {counted?.isCut === true && (
          <span class="quiet">the newest {COUNTED_MAX} of each phase are counted</span>
        )}
      </div>
      <Shown of={page}>
        {({ items }) =>
          items.map((lifecycle) => (
            <section class="card" key={lifecycle.name} aria-label={lifecycle.name}>
              <LifecyclePicture
                lifecycle={lifecycle}
                // Before they are known too there is room for them, lest the picture grow later.
                options={{ counts: counted === null ? {} : countsOf(lifecycle, counted) }}
              />
            </section>
          ))
        }
      </Shown>
    </>
  );
}
