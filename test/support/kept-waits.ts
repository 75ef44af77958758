// One job's waits as a platform keeps them, and its turns one by one.
import assert from 'node:assert/strict';
import type { Failure } from 'pawl/internal/core/decision';
import type { PawlError } from 'pawl/internal/core/errors';
import {
  type ChildResult,
  type FlowAnswer,
  type FlowCall,
  RESULTS_SHOWN,
  type WaitRequest,
  type WaitState,
} from 'pawl/internal/core/flow';
import type { AttemptFacts, AttemptPort, Keep } from 'pawl/internal/handler/attempt-port';
import type { RunContext } from 'pawl/internal/handler/context';
import { defineJob, type JobDefinition } from 'pawl/internal/handler/define-job';
import { execute, type Outcome } from 'pawl/internal/handler/execute';
import { typed } from 'pawl/internal/handler/schema';
import { StopSwitch } from 'pawl/internal/handler/stop';

/** What a platform keeps of one job's waits, told apart by hand. */
export class KeptWaits implements AttemptPort {
  readonly calls: FlowCall[] = [];
  readonly stages: { name: string; result: string }[] = [];
  readonly children: Map<string, ChildResult[]> = new Map();
  readonly decided: Map<string, WaitState> = new Map();
  readonly messages: { name: string; payload: string; id: string; fault?: string }[] = [];
  readonly #asked = Promise.withResolvers<void>();
  refusal: PawlError | null = null;

  /** Resolves when it is asked what is decided. */
  get decides(): Promise<void> {
    return this.#asked.promise;
  }

  tell(): void {}

  async keep(write: Keep): Promise<void> {
    if ('stageResult' in write) this.stages.push(write.stageResult);
  }

  putArtifact(): never {
    throw new Error('not here');
  }

  openArtifact(): never {
    throw new Error('not here');
  }

  async flow(call: FlowCall): Promise<FlowAnswer> {
    this.calls.push(call);
    if (this.refusal !== null) throw this.refusal;
    switch (call.do) {
      case 'spawn': {
        const known = this.children.get(call.wait) ?? [];
        const open = call.items.map(({ key }): ChildResult => ({
          key,
          id: `id-${key}`,
          ok: false,
          result: null,
          error: null,
        }));
        if (known.length < (call.offset ?? 0) + call.items.length) known.push(...open);
        this.children.set(call.wait, known);
        return { done: 'spawn', ids: open.map(({ id }) => id) };
      }
      case 'decide':
        this.#asked.resolve();
        return { done: 'decide', waits: call.waits.map((wait) => this.#stateOf(wait)) };
      case 'results': {
        const all = this.children.get(call.wait)!;
        const from = call.after === null ? 0 : Number(call.after);
        const next = from + call.limit < all.length ? String(from + call.limit) : null;
        return { done: 'results', results: all.slice(from, from + call.limit), next };
      }
      case 'setAside': {
        this.messages.find(({ id }) => id === call.id)!.fault = call.fault;
        return { done: 'setAside' };
      }
      case 'link':
        return { done: 'link', url: `https://pawl.test/${call.name}` };
    }
  }

  end(wait: string, results: readonly (number | Error)[]): void {
    const all = this.children.get(wait)!;
    results.forEach((one, index) => {
      const ok = typeof one === 'number';
      const error = ok ? null : { ...NO_ERROR, message: one.message };
      all[index] = { ...all[index]!, ok, result: ok ? String(one) : null, error };
    });
    const succeeded = all.filter(({ ok }) => ok).length;
    const counts = { total: all.length, succeeded, failed: all.length - succeeded };
    const isAll = all.length <= RESULTS_SHOWN;
    const shown = all.slice(0, RESULTS_SHOWN);
    this.decided.set(wait, {
      state: 'decided',
      value: { kind: 'children', counts, results: shown, isAll },
    });
  }

  #stateOf(wait: WaitRequest): WaitState {
    if (wait.kind === 'message') {
      const found = this.messages.find((one) => one.name === wait.message && !one.fault);
      if (found === undefined) return { state: 'open' };
      return { state: 'decided', value: { kind: 'message', ...found } };
    }
    if (wait.kind === 'first') {
      for (const { key, wait: member } of wait.members) {
        const state = this.#stateOf(member);
        if (state.state === 'decided') {
          return { state: 'decided', value: { kind: 'first', which: key, value: state.value } };
        }
      }
      return { state: 'open' };
    }
    return this.decided.get(wait.name) ?? { state: 'open' };
  }
}

const NO_ERROR = { class: 'Error', message: '', code: null, stage: null, retryable: false };
export const PASSED: WaitState = { state: 'decided', value: { kind: 'time' } };

export type Run = (context: RunContext<unknown>) => unknown;

function jobThat(run: Run): JobDefinition {
  return defineJob('parent', { input: typed<unknown>(), run });
}

export function turn(
  kept: KeptWaits,
  run: Run,
  stops: StopSwitch = new StopSwitch(),
): Promise<Outcome> {
  const facts = {
    input: 'null',
    job: { id: 'job' },
    checkpoint: null,
    kept: kept.stages,
    idempotencyKey: 'key',
  } as unknown as AttemptFacts;
  return execute(jobThat(run), { facts, port: kept, stops });
}

export function valueOf(outcome: Outcome): unknown {
  assert.equal(outcome.kind, 'succeed', JSON.stringify(outcome));
  return JSON.parse((outcome as { result: string }).result);
}

export function errorOf(outcome: Outcome): Failure {
  assert.ok(outcome.kind === 'fail', JSON.stringify(outcome));
  return outcome.error;
}
