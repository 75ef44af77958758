import { type BatchJob, batchJobOf, type BatchPlan } from './batch.ts';
import type { RunContext } from './context.ts';
import type { JobDefinition } from './define-job.ts';
import { fail } from './failure.ts';
import { ownedBy } from './uncaught.ts';

interface Member {
  readonly job: BatchJob;
  readonly outcome: PromiseWithResolvers<unknown>;
  /** It has no outcome yet. */
  isOpen: boolean;
}

/** A job's part in a batch. */
export interface Joined {
  /** Its own: it rejects with the signal's reason as soon as the job is told to stop. */
  readonly outcome: Promise<unknown>;
  /** Resolves when the handler ends; null where it is not at work. */
  readonly atWork: Promise<void> | null;
}

/**
 * Jobs that are handled together. Modes: *gathering* until `begin`; *at work* while the handler
 * runs; *over* when it has ended. A job that is told to stop leaves alone: before the handler
 * begins it is not among its jobs, later the others go on.
 */
export class BatchRun {
  readonly #job: JobDefinition;
  readonly #plan: BatchPlan;
  #members: Member[] = [];
  #work: Promise<void> | null = null;
  #isBegun = false;

  constructor(job: JobDefinition, plan: BatchPlan) {
    this.#job = job;
    this.#plan = plan;
  }

  get size(): number {
    return this.#members.length;
  }

  join(context: RunContext<unknown>): Joined {
    const outcome = Promise.withResolvers<unknown>();
    const job = batchJobOf(context, (error) => this.#end(member, () => outcome.reject(error)));
    const member: Member = { job, outcome, isOpen: true };
    this.#members.push(member);
    const { signal } = context;
    const leave = (): void => this.#leave(member, signal.reason);
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
    const atWork = (): Promise<void> | null => this.#work;
    return {
      outcome: outcome.promise,
      get atWork() {
        return atWork();
      },
    };
  }

  /** Calls the handler with those that are here; later calls do nothing. */
  begin(): void {
    if (this.#isBegun) return;
    this.#isBegun = true;
    if (this.#members.length === 0) return;
    const uncaught = (thrown: unknown): boolean => this.#fail(thrown);
    this.#work = ownedBy({ jobId: null, job: this.#job, uncaught }, () => this.#run());
  }

  async #run(): Promise<void> {
    // A handler that throws before it waits for anything is called when `begin` has answered.
    await Promise.resolve();
    try {
      const returned = await this.#plan.run(this.#members.map(({ job }) => job));
      this.#work = null;
      this.#succeed(returned);
    } catch (error) {
      this.#work = null;
      this.#fail(error);
    }
  }

  #succeed(returned: unknown): void {
    const results = resultsOf(returned, this.#members.length);
    for (const [index, member] of this.#members.entries()) {
      this.#end(member, () => member.outcome.resolve(results?.[index]));
    }
  }

  /** False where every job has its outcome already. */
  #fail(error: unknown): boolean {
    const open = this.#members.filter(({ isOpen }) => isOpen);
    for (const member of open) this.#end(member, () => member.outcome.reject(error));
    return open.length > 0;
  }

  #leave(member: Member, reason: unknown): void {
    if (!this.#isBegun) this.#members = this.#members.filter((one) => one !== member);
    this.#end(member, () => member.outcome.reject(reason));
  }

  /** The first outcome counts. */
  #end(member: Member, settle: () => void): void {
    if (!member.isOpen) return;
    member.isOpen = false;
    settle();
  }
}

/** A result for each job, or undefined for all of them. */
function resultsOf(returned: unknown, count: number): readonly unknown[] | null {
  if (returned === undefined) return null;
  if (Array.isArray(returned) && returned.length === count) return returned;
  const came = Array.isArray(returned) ? `${returned.length} results` : `a ${typeof returned}`;
  const message =
    `runMany got ${count} jobs and returned ${came}: return one result for each job, ` +
    'in their order, or nothing';
  throw fail('configuration_error', message);
}
