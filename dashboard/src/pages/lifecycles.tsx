import type { Page } from '../page.ts';
import { svgOf } from '../../../src/core/diagram-svg.ts';
import type { Lifecycle } from '../../../src/core/lifecycle.ts';
import type { LifecycleJson } from '../../../src/http/schema/lifecycle.ts';
import { get } from '../api.ts';
import { useLoaded } from '../load.ts';
import { ProblemBox } from '../parts/notice.tsx';

/** The tables that jobs move by, as pictures. */
export function LifecyclesPage() {
  const page = useLoaded(() => get<Page<LifecycleJson>>('./v1/lifecycles'), []);
  return (
    <>
      <h1>Lifecycles</h1>
      {page.error.value !== null && <ProblemBox error={page.error.value} />}
      {page.value.value?.items.map((lifecycle) => (
        <section class="card" key={lifecycle.name}>
          <div
            class="lifecycle-picture"
            dangerouslySetInnerHTML={{ __html: svgOf(lifecycle as unknown as Lifecycle) }}
          />
        </section>
      ))}
    </>
  );
}
