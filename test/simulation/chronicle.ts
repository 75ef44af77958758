// What a run leaves behind outside the store: what clients were told, and what handlers did.
import type {
  CompleteOperation,
  LedgerEntry,
  Operation,
  Outcome,
} from 'pawl/internal/check/history';
import type { Job } from 'pawl/internal/core/job';
import type { Claim } from 'pawl/internal/engine/claim';
import { Zombies } from './zombies.ts';

type Mutable<Value> = { -readonly [Name in keyof Value]: Value[Name] };

/** An operation is unknown from the moment it is sent until its answer is there. */
export type Pending = Mutable<Operation>;

export class Chronicle {
  readonly history: Pending[] = [];
  readonly ledger: Mutable<LedgerEntry>[] = [];
  readonly problems: string[] = [];
  readonly zombies: Zombies = new Zombies();

  send<Sent extends Pending>(operation: Omit<Sent, 'outcome'>): Sent {
    const pending = { ...operation, outcome: 'unknown' } as Sent;
    this.history.push(pending);
    return pending;
  }

  complete(claim: Claim, result: string): Mutable<CompleteOperation> {
    const { tenant, id: jobId, owner, epoch } = claim.job;
    return this.send({ kind: 'complete', tenant, jobId, owner: owner!, epoch, result });
  }

  begin(job: Job, startedAt: number): Mutable<LedgerEntry> {
    const { tenant, id: jobId, epoch, attempts: attempt } = job;
    const entry = { tenant, jobId, epoch, attempt, owner: job.owner!, startedAt, endedAt: null };
    this.ledger.push(entry);
    return entry;
  }

  count(outcome: Outcome): number {
    return this.history.filter((operation) => operation.outcome === outcome).length;
  }
}
