// The real worker with its claims, heartbeats, reports and slots, run through the simulator's time.
import type { Job } from '../../src/core/job.ts';
import { SeededRandom } from '../../src/core/random.ts';
import type { Claim } from '../../src/engine/claim.ts';
import type { Settlement } from '../../src/engine/settle.ts';
import { defineJob, type JobDefinition } from '../../src/handler/define-job.ts';
import { JobFailure } from '../../src/handler/failure.ts';
import { typed } from '../../src/handler/schema.ts';
import { builtInLifecycles } from '../../src/lifecycles/built-in.ts';
import type { JobSource, SourceOutcome } from '../../src/engine/source.ts';
import { openWorker } from '../../src/worker/open-worker.ts';
import { type Actor, never } from './actor.ts';
import type { Chronicle } from './chronicle.ts';
import { TYPES } from './job-types.ts';

/** Handlers of seeded moods under the product's own worker; a crash takes it away unasked. */
export class LoopWorker {
  readonly #chronicle: Chronicle;
  readonly #random: SeededRandom;
  readonly #isHealed: () => boolean;

  constructor(chronicle: Chronicle, seed: number, isHealed: () => boolean) {
    this.#chronicle = chronicle;
    this.#random = new SeededRandom(seed);
    this.#isHealed = isHealed;
  }

  async run(actor: Actor): Promise<void> {
    // After a crash it is another process, which has another name.
    const id = `${actor.name}-${this.#random.below(1e6)}`;
    const worker = openWorker({
      id,
      source: this.#recorded(actor),
      jobs: this.#jobs(actor),
      clock: { now: () => actor.now },
      timers: actor.timers,
      slots: 2,
      prefetch: this.#random.below(2),
      pollMs: { minMs: 300, maxMs: 900 },
    });
    worker.start();
    return never();
  }

  #jobs(actor: Actor): readonly JobDefinition[] {
    return Object.entries(TYPES).map(([type, { lifecycle: name }]) =>
      defineJob(type, {
        input: typed<unknown>(),
        lifecycle: builtInLifecycles.find((one) => one.name === name)!,
        run: async ({ signal, progress, checkpoint }) => {
          for (let slice = this.#random.below(4); slice > 0; slice--) {
            const ms = this.#random.below(this.#isHealed() ? 400 : 6_000);
            await actor.timers.sleep(ms, signal);
            signal.throwIfAborted();
            progress(this.#random.next());
            if (this.#random.next() < 0.3) await checkpoint(slice);
          }
          if (!this.#isHealed()) this.#fail();
          return 'done';
        },
      }),
    );
  }

  #fail(): void {
    const dice = this.#random.next();
    if (dice < 0.2) throw new JobFailure('network_timeout', 'it broke');
    if (dice < 0.3) throw new JobFailure('PermanentError', 'it broke for good');
    if (dice < 0.35) throw new Error('a bug');
  }

  /** What the worker was given and what it reported, seen from outside. */
  #recorded(actor: Actor): JobSource {
    const { engine } = actor;
    const runs = new Map<string, { endedAt: number | null }>();
    const nameOf = (job: Pick<Job, 'id' | 'epoch'>): string => `${job.id} ${job.epoch}`;
    const begun = (claims: readonly Claim[]): void => {
      for (const { job } of claims) {
        if (!runs.has(nameOf(job))) runs.set(nameOf(job), this.#chronicle.begin(job, actor.now));
      }
    };
    /** Notes what is reported; what comes back is to be told how it went. */
    const reported = (settlements: readonly Settlement[]) => {
      const reports = settlements.map(({ ref, owner, epoch, ending }) => {
        const run = runs.get(nameOf({ id: ref.id, epoch }));
        if (run !== undefined) run.endedAt ??= actor.now;
        if (ending.kind !== 'succeed') return null;
        const job = { tenant: ref.tenant, id: ref.id, owner, epoch } as Claim['job'];
        return this.#chronicle.complete({ job } as Claim, ending.result ?? 'null');
      });
      return (outcomes: readonly SourceOutcome[]): void =>
        reports.forEach((report, index) => {
          if (report === null) return;
          report.outcome = outcomes[index]!.kind === 'refused' ? 'fail' : 'ok';
        });
    };
    return {
      claim: async (options) => {
        const claims = await engine.claim(options);
        begun(claims);
        return claims;
      },
      start: (held) => engine.start(held),
      renew: (beats) => engine.renew(beats),
      settle: async (settlements) => {
        const answered = reported(settlements);
        const outcomes = await engine.settle(settlements);
        answered(outcomes);
        return outcomes;
      },
      settleAndClaim: async (settlements, options) => {
        const answered = reported(settlements);
        const answer = await engine.settleAndClaim(settlements, options);
        answered(answer.outcomes);
        begun(answer.claims);
        return answer;
      },
    };
  }
}
