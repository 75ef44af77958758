import { decide } from '../core/decide.ts';
import type { Decision, Request } from '../core/decision.ts';
import type { Job } from '../core/job.ts';
import type { Place } from '../core/lifecycle.ts';
import type { EngineContext } from './context.ts';

interface Decided {
  readonly place: Place;
  readonly decision: Decision;
}

/** Decides for the jobs of one call. Many succeed alike: what holds for one holds for the next. */
export class Decisions {
  readonly #context: EngineContext;
  #last: { readonly job: Job; readonly decided: Decided } | null = null;

  constructor(context: EngineContext) {
    this.#context = context;
  }

  of(job: Job, request: Request): Decided {
    const last = this.#last;
    if (request.on === 'succeed' && last !== null && succeedAlike(last.job, job)) {
      return last.decided;
    }
    const { registry, random } = this.#context;
    const facts = registry.factsOf(job);
    const decided = { place: facts.place, decision: decide(facts, request, random) };
    if (request.on === 'succeed') this.#last = { job, decided };
    return decided;
  }
}

/** True where the two agree in all that a decision is told of a job, see `factsOf`. */
function succeedAlike(one: Job, other: Job): boolean {
  return (
    one.lifecycle === other.lifecycle &&
    one.lifecycleVersion === other.lifecycleVersion &&
    one.policy === other.policy &&
    one.state === other.state &&
    one.phase === other.phase &&
    one.epoch === other.epoch &&
    one.attempts === other.attempts &&
    one.retryCount === other.retryCount &&
    one.backoffMs === other.backoffMs &&
    one.stage === other.stage &&
    (one.cancel === null) === (other.cancel === null)
  );
}
