import type { Claim, ClaimOptions } from '../engine/claim.ts';
import { revisionFor, type Revisions } from '../core/revision.ts';
import type { JobDefinition } from '../handler/define-job.ts';
import { revisionsOf } from '../handler/revision-option.ts';
import { Attempt } from './attempt.ts';
import type { AttemptOptions } from './attempt-options.ts';
import type { Batches } from './batches.ts';
import type { Heartbeats } from './heartbeats.ts';
import type { ClaimOrder } from './slots.ts';
import type { WorkerSetup } from './worker.ts';

/** A claim that is made by whoever asked for it, who then says how it went. */
export interface ClaimAsked {
  readonly options: ClaimOptions;
  readonly won: (claims: readonly Claim[]) => Attempt[];
  readonly lost: (error: unknown) => void;
}

/** Claims jobs and makes attempts of them. */
export class Claimer {
  readonly #setup: WorkerSetup;
  readonly #jobs: ReadonlyMap<string, JobDefinition>;
  readonly #name: string;
  readonly #revisions: Revisions | undefined;
  readonly #shared: AttemptOptions;
  #requests = 0;
  #isOwed = false;
  #isShort = false;

  /** Of two claimers of one worker each needs a name of its own. */
  constructor(
    setup: WorkerSetup,
    { heartbeats, batches }: { heartbeats: Heartbeats; batches: Batches },
    name?: string,
  ) {
    this.#setup = setup;
    this.#name = name === undefined ? setup.id : `${setup.id}-${name}`;
    this.#jobs = new Map(setup.jobs.map((job) => [job.type, job]));
    this.#revisions = revisionsOf(setup.jobs);
    const { clock, reportMs, artifacts } = setup;
    const onUrgent = (): void => heartbeats.hurry();
    const onNews = (at: number): void => heartbeats.lookBy(at);
    this.#shared = { clock, artifacts, flows: setup, batches, reportMs, onUrgent, onNews };
  }

  /** True while the answer to its last request is owed: only by asking again is it had. */
  get isOwed(): boolean {
    return this.#isOwed;
  }

  /** True where its last request brought fewer jobs than it asked for: that was all there is. */
  get isShort(): boolean {
    return this.#isShort;
  }

  async claim(order: ClaimOrder): Promise<Attempt[]> {
    const asked = this.ask(order);
    try {
      return asked.won(await this.#setup.source.claim(asked.options));
    } catch (error) {
      asked.lost(error);
      return [];
    }
  }

  /** A claim whose answer was lost is asked again as the same request, which finds what it won. */
  ask(order: ClaimOrder): ClaimAsked {
    const { id: owner, clock, tenants, queues, log } = this.#setup;
    const requestId = `${this.#name}-${this.#requests}`;
    const askedAt = clock.now();
    return {
      options: { ...order, ...this.#offered(order), owner, tenants, queues, requestId },
      won: (claims) => {
        this.#requests += 1;
        this.#isOwed = false;
        this.#isShort = claims.length < order.max;
        if (claims.length > 0) this.#setup.watch?.claimed(claims, clock.now() - askedAt);
        return claims.map((claim) => this.#attempt(claim, askedAt));
      },
      lost: (error) => {
        this.#isOwed = true;
        log.warn('claiming failed; retrying', { error: String(error) });
      },
    };
  }

  #offered({ types }: ClaimOrder): Pick<ClaimOptions, 'revisions'> {
    if (this.#revisions === undefined) return {};
    const own = types.flatMap((type) => {
      const revision = revisionFor(this.#revisions, type);
      return revision === null ? [] : [[type, revision] as const];
    });
    return own.length === 0 ? {} : { revisions: Object.fromEntries(own) };
  }

  #attempt(claim: Claim, askedAt: number): Attempt {
    const job = this.#jobs.get(claim.job.type)!;
    return new Attempt({ claim, job, askedAt }, this.#shared);
  }
}
