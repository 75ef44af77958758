import type { Clock } from '../core/clock.ts';
import type { Claim } from '../engine/claim.ts';
import type { JobDefinition } from '../handler/define-job.ts';
import type { ArtifactAccess } from './attempt-artifacts.ts';
import type { FlowAccess } from './attempt-flow.ts';
import type { Batches } from './batches.ts';

/** What is an attempt's own. */
export interface AttemptParts {
  readonly claim: Claim;
  readonly job: JobDefinition;
  /** When the claim was asked for: the lease cannot have begun earlier. */
  readonly askedAt: number;
}

/** What all attempts of one worker share. */
export interface AttemptOptions {
  readonly clock: Clock;
  readonly artifacts: ArtifactAccess | null;
  readonly flows: FlowAccess;
  readonly batches: Batches;
  /** How soon news is sent, at the latest. */
  readonly reportMs: number;
  /** Called when someone waits for a write. */
  readonly onUrgent: () => void;
  /** Called when there is something to send, with the time by which it should be sent. */
  readonly onNews: (at: number) => void;
}
