import { distributed } from '../lifecycles/distributed.ts';
import type { Compensation } from './context.ts';
import { compensationType, defineJob, type JobDefinition } from './define-job.ts';
import { check, typed } from './schema.ts';

/**
 * The job that undoes one that ended badly, or null where its type has no `compensate`. It is a
 * job like any other: with retries, a lease and a log, in the isolation of the one it undoes.
 */
export function compensationOf(job: JobDefinition): JobDefinition | null {
  const { compensate } = job;
  if (compensate === undefined) return null;
  return defineJob(compensationType(job.type), {
    lifecycle: distributed,
    isolation: job.isolation,
    ...(job.revision && { revision: job.revision.name, pin: job.revision.pin }),
    input: typed<Compensation<unknown>>(),
    run: async (context) => {
      const checked = await check(job.input, context.input.input);
      // With such an input the handler never ran, so there is nothing to undo.
      if ('faults' in checked) return null;
      return compensate({ ...context, input: { ...context.input, input: checked.value } });
    },
  });
}

/** The jobs, each after the one that undoes it, in which order they are registered. */
export function withCompensations(jobs: readonly JobDefinition[]): readonly JobDefinition[] {
  return jobs.flatMap((job) => [compensationOf(job) ?? [], job].flat());
}
