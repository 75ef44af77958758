import type { JobDefinition } from '../handler/define-job.ts';
import { Attempt } from './attempt.ts';
import type { Heart } from './heart.ts';
import type { ClaimOrder } from './slots.ts';
import type { WorkerSetup } from './worker.ts';

/** Claims jobs and makes attempts of them. */
export class Claimer {
  readonly #setup: WorkerSetup;
  readonly #jobs: ReadonlyMap<string, JobDefinition>;
  readonly #heart: Heart;
  #requests = 0;

  constructor(setup: WorkerSetup, heart: Heart) {
    this.#setup = setup;
    this.#jobs = new Map(setup.jobs.map((job) => [job.type, job]));
    this.#heart = heart;
  }

  /** A claim whose answer was lost is asked again as the same request, which finds what it won. */
  async claim(order: ClaimOrder): Promise<Attempt[]> {
    const { source, id: owner, clock, tenants, queues, log, reportMs, artifacts } = this.#setup;
    const onUrgent = (): void => this.#heart.hurry();
    const onNews = (at: number): void => this.#heart.lookBy(at);
    const requestId = `${owner}-${this.#requests}`;
    const askedAt = clock.now();
    try {
      const claims = await source.claim({ ...order, owner, tenants, queues, requestId });
      this.#requests += 1;
      if (claims.length > 0) this.#setup.watch?.claimed(claims, clock.now() - askedAt);
      return claims.map((claim) => {
        const job = this.#jobs.get(claim.job.type)!;
        return new Attempt({ claim, job, clock, askedAt, artifacts, reportMs, onUrgent, onNews });
      });
    } catch (error) {
      log.warn('no jobs could be claimed; trying again', { error: String(error) });
      return [];
    }
  }
}
