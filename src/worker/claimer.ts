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
  readonly #name: string;
  #requests = 0;
  #isOwed = false;

  /** Of two claimers of one worker each needs a name of its own. */
  constructor(setup: WorkerSetup, heart: Heart, name?: string) {
    this.#setup = setup;
    this.#name = name === undefined ? setup.id : `${setup.id}-${name}`;
    this.#jobs = new Map(setup.jobs.map((job) => [job.type, job]));
    this.#heart = heart;
  }

  /** True while the answer to its last request is owed: only by asking again is it had. */
  get isOwed(): boolean {
    return this.#isOwed;
  }

  /** A claim whose answer was lost is asked again as the same request, which finds what it won. */
  async claim(order: ClaimOrder): Promise<Attempt[]> {
    const { source, id: owner, clock, tenants, queues, log, reportMs, artifacts } = this.#setup;
    const onUrgent = (): void => this.#heart.hurry();
    const onNews = (at: number): void => this.#heart.lookBy(at);
    const requestId = `${this.#name}-${this.#requests}`;
    const askedAt = clock.now();
    try {
      const claims = await source.claim({ ...order, owner, tenants, queues, requestId });
      this.#requests += 1;
      this.#isOwed = false;
      if (claims.length > 0) this.#setup.watch?.claimed(claims, clock.now() - askedAt);
      return claims.map((claim) => {
        const job = this.#jobs.get(claim.job.type)!;
        return new Attempt({ claim, job, clock, askedAt, artifacts, reportMs, onUrgent, onNews });
      });
    } catch (error) {
      this.#isOwed = true;
      log.warn('no jobs could be claimed; trying again', { error: String(error) });
      return [];
    }
  }
}
