import type { JobJson } from '../../../src/http/schema/job.ts';

/** A state in the lifecycle's own word, in the colour of its phase. */
export function StateChip({ job }: { readonly job: Pick<JobJson, 'state' | 'phase'> }) {
  return (
    <span class={`state ${job.phase}`} title={`phase: ${job.phase}`}>
      {job.state}
    </span>
  );
}
