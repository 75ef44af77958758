import { invalid } from '../core/errors.ts';
import type { InputJson } from '../handle/job-snapshot.ts';
import type { RunContext } from '../handler/context.ts';
import { defineJob, isJobDefinition, type JobDefinition } from '../handler/define-job.ts';
import type { JobType } from '../handler/job-type.ts';

/** The argument of a stub, the same as that of a handler. */
export type StubContext<Input> = Omit<RunContext<unknown>, 'input'> & {
  readonly input: InputJson<Input>;
};

// oxlint-disable-next-line typescript/no-explicit-any -- stubs of jobs of every type
type Run = (context: any) => unknown;

/** Handlers that stand in for the real ones. */
export class Stubs {
  readonly #runs: Map<string, Run> = new Map();
  readonly #known: ReadonlySet<string>;
  readonly jobs: readonly JobDefinition[];

  constructor(jobs: readonly JobType[]) {
    this.#known = new Set(jobs.map(({ type }) => type));
    this.jobs = jobs.map((job) => this.#stubbed(job));
  }

  put(type: string, run: Run): void {
    if (!this.#known.has(type)) {
      const message = `must be a job of this world: add "${type}" to \`jobs\` of openWorld`;
      throw invalid([{ pointer: '/job', message }]);
    }
    this.#runs.set(type, run);
  }

  #stubbed(job: JobType): JobDefinition {
    const { type, input } = job;
    const own = isJobDefinition(job) ? job : defineJob(type, { input, run: missing(type) });
    const runs = this.#runs;
    const stubbed = {
      ...own,
      run: (context: RunContext<unknown>) => (runs.get(type) ?? own.run)(context),
    };
    // A stub is a closure: it can run nowhere but here.
    const isolation = () => (runs.has(type) ? ({ kind: 'inline' } as const) : own.isolation);
    return Object.defineProperty(stubbed, 'isolation', { get: isolation, enumerable: true });
  }
}

function missing(type: string): () => never {
  return () => {
    throw new Error(`"${type}" is only declared here: give it a handler with world.stub(…)`);
  };
}
