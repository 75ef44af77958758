import type { JobEventJson, JobJson } from '../../../../pawl/src/contract/job.ts';
import type { LifecycleJson } from '../../../../pawl/src/contract/lifecycle.ts';
import { LifecyclePicture } from '../../parts/lifecycle-picture.tsx';

interface Given {
  readonly job: JobJson;
  readonly lifecycle: LifecycleJson;
  readonly events: readonly JobEventJson[];
}

/** The lifecycle drawn from its table, with the path taken and the present state. */
export function JobLifecycle({ job, lifecycle, events }: Given) {
  const visited = events.filter(({ from, to }) => from !== to).map(({ to }) => to);
  return (
    <section class="card wide">
      <h2>Lifecycle</h2>
      <LifecyclePicture lifecycle={lifecycle} options={{ current: job.state, visited }} />
    </section>
  );
}
