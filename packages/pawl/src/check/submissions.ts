import type { Job } from '../core/job.ts';
import type { SubmitOperation } from './history.ts';
import type { SetCheck, SetFacts, SetInvariant } from './invariant.ts';
import { refKey, type Violation } from './violation.ts';

function submitsOf({ history }: SetFacts): readonly SubmitOperation[] {
  return history.filter((operation) => operation.kind === 'submit');
}

/** Made by the platform for another job: a child, a replay, a compensation. */
export function hasParent({ parentJobId, awaitedBy }: Job): boolean {
  return parentJobId !== null || awaitedBy !== null;
}

function markOf(tenant: string, correlationId: string | null): string | null {
  return correlationId === null ? null : `${tenant}/${correlationId}`;
}

export const nothingLost: SetInvariant = {
  id: 'I1',
  sentence:
    'every acknowledged submit exists at the end or was legally purged, and one whose answer was ' +
    'lost made no more than one job',
  open: (facts) => new Arrivals(facts),
};

class Arrivals implements SetCheck {
  readonly #facts: SetFacts;
  readonly #awaited: Map<string, SubmitOperation>;
  /** Jobs by the mark of a submit whose answer was lost and which had no idempotency key. */
  readonly #unanswered: Map<string, string[]>;

  constructor(facts: SetFacts) {
    this.#facts = facts;
    this.#awaited = new Map();
    this.#unanswered = new Map();
    for (const submit of submitsOf(facts)) {
      const { outcome, tenant, jobId: id, correlationId, idempotency } = submit;
      if (outcome === 'ok' && id !== null) this.#awaited.set(refKey({ tenant, id }), submit);
      const mark = markOf(tenant, correlationId);
      // With a key, I7 watches over duplicates: it knows the window.
      if (outcome === 'unknown' && mark !== null && idempotency === null) {
        this.#unanswered.set(mark, []);
      }
    }
  }

  see(job: Job): void {
    this.#awaited.delete(refKey(job));
    // A child and a replay keep their parent's correlation id, and are no second arrival.
    if (hasParent(job)) return;
    this.#unanswered.get(markOf(job.tenant, job.correlationId) ?? '')?.push(job.id);
  }

  end(): readonly Violation[] {
    const lost = [...this.#awaited.values()]
      .filter(({ tenant, jobId }) => !this.#facts.isPurged(tenant, jobId!))
      .map(({ tenant, jobId }) => {
        const message = 'the submit was acknowledged, but the job does not exist';
        return { invariant: 'I1', tenant, jobId, version: null, message };
      });
    const doubled = [...this.#unanswered]
      .filter(([, ids]) => ids.length > 1)
      .map(([mark, ids]) => {
        const message = `one submit without an answer (${mark}) made ${ids.join(' and ')}`;
        const tenant = mark.slice(0, mark.indexOf('/'));
        return { invariant: 'I1', tenant, jobId: ids[1]!, version: null, message };
      });
    return [...lost, ...doubled];
  }
}

export const nothingUnasked: SetInvariant = {
  id: 'I2',
  sentence: 'nothing exists that nobody submitted; a child was asked for by its parent',
  open: (facts) => {
    const submits = submitsOf(facts).filter(({ outcome }) => outcome !== 'fail');
    const ids = new Set(submits.map(({ tenant, jobId }) => `${tenant}/${jobId}`));
    const marks = new Set(
      submits
        .filter(({ outcome }) => outcome === 'unknown')
        .map(({ tenant, correlationId }) => markOf(tenant, correlationId)),
    );
    const violations: Violation[] = [];
    return {
      see(job) {
        const mark = markOf(job.tenant, job.correlationId);
        if (ids.has(refKey(job)) || (mark !== null && marks.has(mark))) return;
        if (hasParent(job)) return;
        const message = `nobody submitted this ${job.type} job`;
        const { tenant, id: jobId } = job;
        violations.push({ invariant: 'I2', tenant, jobId, version: null, message });
      },
      end: () => violations,
    };
  },
};
