import type { Job } from '../core/job.ts';
import type { SetCheck, SetFacts, SetInvariant } from './invariant.ts';
import { hasParent } from './submissions.ts';
import { refKey, type Violation } from './violation.ts';

export const oneJobPerKey: SetInvariant = {
  id: 'I7',
  sentence: 'one job per (tenant, idempotency key) within the window, and all racers saw its id',
  open: (facts) => new Keys(facts),
};

interface KeyUse {
  readonly tenant: string;
  readonly key: string;
  readonly windowMs: number;
  readonly jobs: Map<string, Job>;
}

/** Memory grows with the keys of the history, not with the table. */
class Keys implements SetCheck {
  readonly #uses: Map<string, KeyUse>;
  readonly #byJob: Map<string, KeyUse>;
  readonly #byMark: Map<string, KeyUse>;

  constructor({ history }: SetFacts) {
    this.#uses = new Map();
    this.#byJob = new Map();
    this.#byMark = new Map();
    for (const operation of history) {
      if (operation.kind !== 'submit' || operation.outcome === 'fail') continue;
      const { tenant, idempotency, jobId, correlationId } = operation;
      if (idempotency === null) continue;
      const name = JSON.stringify([tenant, idempotency.key]);
      const use = this.#uses.get(name) ?? { tenant, ...idempotency, jobs: new Map() };
      this.#uses.set(name, use);
      if (jobId !== null) this.#byJob.set(refKey({ tenant, id: jobId }), use);
      if (correlationId !== null) this.#byMark.set(`${tenant}/${correlationId}`, use);
    }
  }

  see(job: Job): void {
    // A child and a replay keep their parent's correlation id, but not its key.
    const mark = hasParent(job) ? '' : `${job.tenant}/${job.correlationId}`;
    const use = this.#byJob.get(refKey(job)) ?? this.#byMark.get(mark);
    use?.jobs.set(job.id, job);
  }

  end(): readonly Violation[] {
    return [...this.#uses.values()].flatMap(({ tenant, key, windowMs, jobs }) => {
      const byBirth = [...jobs.values()].sort((a, b) => a.createdAt - b.createdAt);
      return byBirth.flatMap((job, index): Violation[] => {
        const before = byBirth[index - 1];
        if (before === undefined || job.createdAt - before.createdAt >= windowMs) return [];
        const apart = `${job.createdAt - before.createdAt} ms apart`;
        const message = `the key "${key}" made ${before.id} and ${job.id}, ${apart}`;
        return [{ invariant: 'I7', tenant, jobId: job.id, version: null, message }];
      });
    });
  }
}
