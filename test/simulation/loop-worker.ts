// The real worker with its claims, heartbeats, reports and slots, run through the simulator's time.
import type { Job } from 'pawl/internal/core/job';
import { SeededRandom } from 'pawl/internal/core/random';
import type { Claim } from 'pawl/internal/engine/claim';
import type { BeatResult, Ownership } from 'pawl/internal/engine/owner';
import type { Settlement } from 'pawl/internal/engine/settle';
import { defineJob, type JobDefinition } from 'pawl/internal/handler/define-job';
import { JobFailure } from 'pawl/internal/handler/failure';
import { typed } from 'pawl/internal/handler/schema';
import { builtInLifecycles } from 'pawl/internal/lifecycles/built-in';
import type { JobSource, SourceOutcome } from 'pawl/internal/engine/source';
import { openWorker } from 'pawl/internal/worker/open-worker';
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
    const { zombies } = this.#chronicle;
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
      return (outcomes: readonly SourceOutcome[]): void => {
        zombies.note(settlements, outcomes);
        reports.forEach((report, index) => {
          if (report === null) return;
          report.outcome = outcomes[index]!.kind === 'refused' ? 'fail' : 'ok';
        });
      };
    };
    const noted = async <Outcome extends SourceOutcome | BeatResult>(
      held: readonly Ownership[],
      answer: Promise<readonly Outcome[]>,
    ): Promise<readonly Outcome[]> => {
      const outcomes = await answer;
      zombies.note(held, outcomes);
      return outcomes;
    };
    return {
      claim: async (options) => {
        const claims = await engine.claim(options);
        begun(claims);
        return claims;
      },
      start: (held) => noted(held, engine.start(held)),
      renew: (beats) => noted(beats, engine.renew(beats)),
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
