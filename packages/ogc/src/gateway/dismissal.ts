import { derivedId, type Job } from 'pawl/define';
import type { Engine, FollowUp, LogFollower } from 'pawl/plugin';
import { type DismissalInput, dismissalTypeOf } from './dismissal-job.ts';
import { isGatewayType, providerOfType } from './process-id.ts';
import { remoteStateOf } from './remote-state.ts';

const FOLLOWER = 'pawl.ogc.dismissals';
/** A queue of their own: a pause of others does not keep providers at work for nobody. */
const QUEUE = 'pawl.ogc-dismissals';

export interface DismissalOptions {
  readonly engine: Engine;
  /** Makes the type of a provider's dismissals known, and has it served. */
  readonly register: (provider: string) => Promise<void>;
  readonly wake: (provider: string) => void;
}

/**
 * Makes a job of each dismissal that a provider is to be told of, by whichever way it came about:
 * the log is followed, so a crash in between forgets none. The job's id follows from that of the
 * one that was dismissed, so each is told by one job.
 */
export class Dismissals {
  readonly #options: DismissalOptions;

  constructor(options: DismissalOptions) {
    this.#options = options;
  }

  follow(): LogFollower {
    const { engine } = this.#options;
    return engine.follow({
      name: FOLLOWER,
      from: 'now',
      handle: async (items) => {
        const dismissed = items.filter(
          ({ event, jobType }) => event.type === 'job_cancelled' && isGatewayType(jobType),
        );
        const refs = dismissed.map(({ event }) => ({ tenant: event.tenant, id: event.jobId }));
        const jobs = refs.length === 0 ? [] : await engine.find(refs);
        await this.add(jobs.filter((job) => job !== null));
      },
    });
  }

  /** Of jobs that were dismissed; those of which no provider knows need nothing. */
  async add(jobs: readonly Job[]): Promise<void> {
    const { engine, register, wake } = this.#options;
    const all = jobs.flatMap((job) => dismissalOf(job) ?? []);
    const providers = new Set(all.map(({ provider }) => provider));
    for (const provider of providers) await register(provider);
    await engine.enqueueFollowUps(all.map(({ followUp }) => followUp));
    for (const provider of providers) wake(provider);
  }
}

function dismissalOf(job: Job): { provider: string; followUp: FollowUp } | null {
  const provider = providerOfType(job.type);
  const state = remoteStateOf(job);
  if (provider === null || job.phase !== 'cancelled' || state?.step !== 'following') return null;
  const { remoteId, statusUrls } = state;
  // Kept apart from the job, which may be removed before its provider has answered.
  const input: DismissalInput = { provider, jobId: job.id, remoteId, statusUrls };
  const request = {
    type: dismissalTypeOf(provider),
    queue: QUEUE,
    id: derivedId(job.createdAt, JSON.stringify(['dismissal', job.tenant, job.id])),
    correlationId: job.correlationId ?? job.id,
    input,
  };
  return { provider, followUp: { tenant: job.tenant, request } };
}
