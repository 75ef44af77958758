import type { Job } from '../core/job.ts';
import type { Policy } from '../core/policy.ts';
import type { CompleteOperation, DeadLetterCopy, LedgerEntry, Operation } from './history.ts';
import type { Trail } from './trail.ts';
import type { Finding, Violation } from './violation.ts';

/** What else is known about one job while its log is checked. */
export interface JobFacts {
  readonly policy: Policy | null;
  readonly deadLetters: readonly DeadLetterCopy[];
  readonly completions: readonly CompleteOperation[];
  /** False where heartbeats were not read, or have expired: then silence proves nothing. */
  readonly areNotesKept: boolean;
  /** Null: no ledger was kept. */
  readonly ledger: readonly LedgerEntry[] | null;
}

/** A promise that one job's row and log show kept or broken. */
export interface JobInvariant {
  readonly id: string;
  readonly sentence: string;
  readonly check: (trail: Trail, facts: JobFacts) => readonly Finding[];
}

/** Sees every job once, then says what was wrong with the set. */
export interface SetCheck {
  see(job: Job): void;
  end(): readonly Violation[];
}

export interface SetFacts {
  readonly history: readonly Operation[];
  readonly isPurged: (tenant: string, id: string) => boolean;
}

/** A promise about the jobs of a whole run; it needs the clients' history. */
export interface SetInvariant {
  readonly id: string;
  readonly sentence: string;
  readonly open: (facts: SetFacts) => SetCheck;
}
