import { type JobDefinition, typeDefinitionOf } from '../handler/define-job.ts';
import type { TypeBodyJson } from '../http/schema/type.ts';

/** A change keeps what it does not name, and what a job's definition leaves out is not wanted. */
const NOTHING: Omit<Required<{ [Name in keyof TypeBodyJson]: null }>, 'lifecycle' | 'retryable'> = {
  retry: null,
  fatal: null,
  isRetryFixed: null,
  lease: null,
  timeoutMs: null,
  onTimeout: null,
  stages: null,
  limits: null,
  onExhausted: null,
  dlq: null,
  slo: null,
  previews: null,
  compensation: null,
  calls: null,
  expose: null,
  inputSchema: null,
};

/** The type of a job as it is put, so that it is just what its definition says. */
export function registrationOf(job: JobDefinition): TypeBodyJson {
  // Of this one null is a value.
  const { retryable } = job.lifecycle.defaults;
  return { ...NOTHING, retryable, ...typeDefinitionOf(job) } as TypeBodyJson;
}
