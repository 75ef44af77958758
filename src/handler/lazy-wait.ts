import { fail } from './failure.ts';
import type { FlowRun, WaitPlan } from './flow-run.ts';

/** Begins when it is awaited, or given to `first`, and then once. */
export class LazyWait<Value = unknown> implements PromiseLike<Value> {
  readonly #run: FlowRun;
  readonly #name: string | null;
  readonly #plan: (name: string, key: string) => WaitPlan<Value>;
  #begun: Promise<Value> | null = null;
  #isTaken = false;

  /** Without a name it can only be given to `first`, which has one for it. */
  constructor(
    run: FlowRun,
    name: string | null,
    plan: (name: string, key: string) => WaitPlan<Value>,
  ) {
    this.#run = run;
    this.#name = name;
    this.#plan = plan;
  }

  // oxlint-disable-next-line unicorn/no-thenable -- that it is awaited is what begins it
  then<Kept = Value, Caught = never>(
    kept?: ((value: Value) => Kept | PromiseLike<Kept>) | null,
    caught?: ((reason: unknown) => Caught | PromiseLike<Caught>) | null,
  ): Promise<Kept | Caught> {
    this.#begun ??= this.#begin();
    return this.#begun.then(kept, caught);
  }

  /** The plan of a wait that becomes a part of another. */
  takenBy(name: string, key: string): WaitPlan<Value> {
    if (this.#isTaken || this.#begun !== null) {
      throw fail('configuration_error', 'a wait that has begun cannot be given to `first`');
    }
    this.#isTaken = true;
    if (this.#name !== null) return this.#plan(this.#name, this.#name);
    this.#run.claimName(name);
    return this.#plan(name, key);
  }

  async #begin(): Promise<Value> {
    const name = this.#name;
    if (name === null || this.#isTaken) {
      const message =
        name === null
          ? 'a wait without a name can only be given to `first`: name it, sleep("pause", "5m")'
          : `the wait "${name}" was given to \`first\`: await that instead`;
      throw fail('configuration_error', message);
    }
    return this.#run.begin(this.#plan(name, name));
  }
}
