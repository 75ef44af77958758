import type { JobRef } from '../core/job.ts';

/** One broken promise found in recorded history, with where to look. */
export interface Violation {
  readonly invariant: string;
  /** Null where the fault is of the whole set and no one job has it. */
  readonly tenant: string | null;
  readonly jobId: string | null;
  /** The version of the event at fault; null where the row itself is. */
  readonly version: number | null;
  readonly message: string;
}

/** What an invariant says about one job; the checker adds the invariant and the job. */
export interface Finding {
  readonly version: number | null;
  readonly message: string;
}

export function refKey(ref: JobRef): string {
  return `${ref.tenant}/${ref.id}`;
}

export function at(version: number, message: string): Finding {
  return { version, message };
}

export function ofRow(message: string): Finding {
  return { version: null, message };
}
