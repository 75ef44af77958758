import { referenceOf } from '../artifact/reference.ts';
import type { Content } from '../artifact/artifact-store.ts';
import type { ChildResult, FlowAnswer, WaitState, WaitValue } from '../core/flow.ts';
import type { Job, JsonText } from '../core/job.ts';
import type { Ownership } from './owner.ts';
import type { JobSource } from './source.ts';

/** Where a worker's large values are read and kept: beside the engine, or behind HTTP. */
export interface WorkerValues {
  /** The whole input of a job, or the reference itself where it stands for a document. */
  inputOf(job: Job): Promise<JsonText>;
  keepResult(held: Ownership, content: Content): Promise<{ readonly id: string }>;
  /** The whole result of a job that has succeeded. */
  resultOf(job: Pick<Job, 'tenant' | 'id' | 'result'>): Promise<JsonText>;
}

/** What handlers ask of their waits, with results of any size. */
export function largeFlow(source: JobSource, values: WorkerValues): Pick<JobSource, 'flow'> {
  if (source.flow === undefined) return {};
  return {
    flow: async (held, call) => {
      const answer = await source.flow!(held, call);
      return new Whole(values, held.ref.tenant).answer(answer);
    },
  };
}

/** Puts whole results in the place of references to them. */
class Whole {
  readonly #values: WorkerValues;
  readonly #tenant: string;

  constructor(values: WorkerValues, tenant: string) {
    this.#values = values;
    this.#tenant = tenant;
  }

  async answer(answer: FlowAnswer): Promise<FlowAnswer> {
    if (answer.done === 'results') return { ...answer, results: await this.#all(answer.results) };
    if (answer.done !== 'decide') return answer;
    return { ...answer, waits: await Promise.all(answer.waits.map((one) => this.#state(one))) };
  }

  async #state(state: WaitState): Promise<WaitState> {
    return state.state === 'open' ? state : { ...state, value: await this.#value(state.value) };
  }

  async #value(value: WaitValue): Promise<WaitValue> {
    if (value.kind === 'children') return { ...value, results: await this.#all(value.results) };
    if (value.kind !== 'first') return value;
    return { ...value, value: await this.#value(value.value) };
  }

  async #all(results: readonly ChildResult[]): Promise<readonly ChildResult[]> {
    const isLarge = ({ result }: ChildResult): boolean =>
      result !== null && referenceOf(result) !== null;
    if (!results.some(isLarge)) return results;
    return Promise.all(results.map(async (one) => (isLarge(one) ? this.#one(one) : one)));
  }

  async #one(child: ChildResult): Promise<ChildResult> {
    const { id, result } = child;
    return { ...child, result: await this.#values.resultOf({ tenant: this.#tenant, id, result }) };
  }
}
