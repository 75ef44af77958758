import { derivedId } from 'pawl/define';
import type { EnqueueJson } from 'pawl/plugin';
import type { SourceJob, SystemName } from './source.ts';

const PRIORITY_MAX = 32_767;
const LABEL_LENGTH_MAX = 512;

/**
 * The id that a job has here is derived from the one that it had there, so that whoever moves it
 * again finds it. The birth is part of it: names such as "1" come back after a queue was emptied.
 */
export function idOf(system: SystemName, job: SourceJob): string {
  return derivedId(job.createdAt, `${system}\n${job.queue}\n${job.id}`);
}

/** Not more than a label may have; `metadata` has all of it. */
function label(text: string): string {
  return text.slice(0, LABEL_LENGTH_MAX).toWellFormed();
}

/** The job that stands here for one of theirs. */
export function wishOf(system: SystemName, job: SourceJob, type: string): EnqueueJson {
  const { unique, documentId, attemptsMade, attemptsMax, key } = job;
  return {
    type,
    id: idOf(system, job),
    input: job.input,
    priority: Math.max(-PRIORITY_MAX, Math.min(PRIORITY_MAX, job.priority)),
    runAt: new Date(job.runAt).toISOString(),
    correlationId: label(`${system}:${job.queue}:${job.id}`),
    metadata: {
      movedFrom: {
        system,
        kind: job.kind,
        queue: job.queue,
        id: job.id,
        createdAt: new Date(job.createdAt).toISOString(),
        attemptsMade,
        attemptsMax,
        ...(key === null ? {} : { key }),
      },
    },
    ...(documentId === null ? {} : { documentId }),
    ...(unique === null ? {} : { unique: unique as NonNullable<EnqueueJson['unique']> }),
  };
}
