import type { ChildCounts, ChildResult, OnFailure, WaitValue } from '../core/flow.ts';
import { ChildrenFailed } from './children-failed.ts';
import { fail } from './failure.ts';
import type { FlowRun, WaitPlan } from './flow-run.ts';
import type { Children, ChildOutcome } from './waits.ts';

type Decided = Extract<WaitValue, { kind: 'children' }>;

const PAGE = 1_000;

/** An error names so many children. */
const FAILURES_MAX = 10;

export interface OffspringOptions {
  readonly name: string;
  readonly options: { readonly onFailure?: OnFailure };
  /** Makes the children, or finds those that are there; their ids in order. */
  readonly spawn: () => Promise<readonly string[]>;
}

/** The children of one wait. */
export class Offspring {
  readonly #run: FlowRun;
  readonly #options: OffspringOptions;
  #ids: Promise<readonly string[]> | null = null;

  constructor(run: FlowRun, options: OffspringOptions) {
    this.#run = run;
    this.#options = options;
  }

  spawned(): Promise<readonly string[]> {
    return (this.#ids ??= this.#options.spawn());
  }

  plan<Value>(value: (decided: Decided) => Promise<Value>): WaitPlan<Value> {
    const { name } = this.#options;
    return {
      request: { name, kind: 'children' },
      prepare: async () => void (await this.spawned()),
      read: async (decided) => {
        if (decided.kind === 'children') return { value: await value(decided) };
        throw fail('internal_bug', `the wait "${name}" was decided as ${decided.kind}`);
      },
    };
  }

  /** What came of the only child. */
  async single(decided: Decided): Promise<unknown> {
    const [result] = decided.results;
    if (this.#isCollected && result !== undefined) return outcomeOf(result);
    await this.#throwIfFailed(decided);
    return valueOf(result?.result ?? null);
  }

  /** What came of all of them. */
  async all(decided: Decided): Promise<Children<ChildOutcome<unknown>>> {
    if (!this.#isCollected) await this.#throwIfFailed(decided);
    const { counts } = decided;
    return { counts, results: () => this.#outcomes(decided) };
  }

  get #isCollected(): boolean {
    return this.#options.options.onFailure === 'collect';
  }

  async #throwIfFailed({ counts, results, isAll }: Decided): Promise<void> {
    if (counts.failed === 0) return;
    const failures = isAll ? results : await this.#firstFailures(counts);
    throw new ChildrenFailed(this.#options.name, counts, failures);
  }

  async #firstFailures({ failed }: ChildCounts): Promise<ChildResult[]> {
    const failures: ChildResult[] = [];
    for await (const one of this.#pages()) {
      if (!one.ok) failures.push(one);
      if (failures.length >= Math.min(failed, FAILURES_MAX)) break;
    }
    return failures;
  }

  async *#outcomes({ results, isAll }: Decided): AsyncGenerator<ChildOutcome<unknown>> {
    if (isAll) for (const one of results) yield outcomeOf(one);
    else for await (const one of this.#pages()) yield outcomeOf(one);
  }

  async *#pages(): AsyncGenerator<ChildResult> {
    const { name: wait } = this.#options;
    let after: string | null = null;
    do {
      const call = { do: 'results', wait, after, limit: PAGE } as const;
      const page: { results: readonly ChildResult[]; next: string | null } =
        await this.#run.ask(call);
      yield* page.results;
      after = page.next;
    } while (after !== null);
  }
}

function outcomeOf({ key, id, ok, result, error }: ChildResult): ChildOutcome<unknown> {
  return ok ? { key, id, ok, result: valueOf(result) } : { key, id, ok, error };
}

/** A handler that returns nothing is kept as null. */
function valueOf(result: string | null): unknown {
  return result === null ? null : (JSON.parse(result) as unknown);
}
