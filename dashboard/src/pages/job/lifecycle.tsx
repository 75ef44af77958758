import { svgOf } from '../../../../src/core/diagram-svg.ts';
import type { Lifecycle } from '../../../../src/core/lifecycle.ts';
import type { JobEventJson, JobJson } from '../../../../src/http/schema/job.ts';
import type { LifecycleJson } from '../../../../src/http/schema/lifecycle.ts';

interface Given {
  readonly job: JobJson;
  readonly lifecycle: LifecycleJson;
  readonly events: readonly JobEventJson[];
}

/** The lifecycle drawn from its table, with the path taken and the present state. */
export function JobLifecycle({ job, lifecycle, events }: Given) {
  const visited = events.filter(({ from, to }) => from !== to).map(({ to }) => to);
  // The picture is drawn from the table by the code that also draws the documentation.
  const svg = svgOf(lifecycle as unknown as Lifecycle, { current: job.state, visited });
  return (
    <section class="card">
      <h2>Lifecycle</h2>
      <div class="lifecycle-picture" dangerouslySetInnerHTML={{ __html: svg }} />
    </section>
  );
}
