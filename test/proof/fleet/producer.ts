// A client that asks once, and is honest about what it knows: done, not done, or nobody can tell.
import type { Outcome, SubmitOperation } from '../../../src/check/history.ts';
import { SeededRandom } from '../../../src/core/random.ts';
import { systemTimers } from '../../../src/core/timers.ts';

export const TENANT = 'default';
const WINDOW_MS = 86_400_000;
const ANSWER_MS = 5_000;
const ASKS_MAX = 5;

type Pending = { -readonly [Name in keyof SubmitOperation]: SubmitOperation[Name] };

export class Producer {
  readonly history: SubmitOperation[] = [];
  readonly #name: string;
  readonly #urls: readonly string[];
  readonly #random: SeededRandom;

  constructor(name: string, urls: readonly string[], seed: number) {
    this.#name = name;
    this.#urls = urls;
    this.#random = new SeededRandom(seed);
  }

  async run({ paceMs, stop }: { paceMs: number; stop: AbortSignal }): Promise<void> {
    for (let n = 0; !stop.aborted; n++) {
      const mark = `${this.#name}-${n}`;
      const hasKey = this.#random.next() < 0.5;
      const ms = this.#random.below(150);
      // Only with a key may the same be asked again; without one it would be another job.
      for (let asks = 0; asks < (hasKey ? ASKS_MAX : 1); asks++) {
        const outcome = await this.#ask({ mark, ms, hasKey });
        if (outcome === 'ok') break;
        await systemTimers.sleep(100, stop);
      }
      await systemTimers.sleep(paceMs, stop);
    }
  }

  async #ask(asked: { mark: string; ms: number; hasKey: boolean }): Promise<Outcome> {
    const { mark, ms, hasKey } = asked;
    const pending: Pending = {
      kind: 'submit',
      tenant: TENANT,
      outcome: 'unknown',
      jobId: null,
      correlationId: mark,
      idempotency: hasKey ? { key: mark, windowMs: WINDOW_MS } : null,
    };
    this.history.push(pending);
    try {
      const response = await fetch(`${this.#random.pick(this.#urls)}/v1/jobs`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(hasKey ? { 'idempotency-key': mark } : {}),
        },
        body: JSON.stringify({ type: 'errand', input: { ms }, correlationId: mark }),
        signal: AbortSignal.timeout(ANSWER_MS),
      });
      if (response.ok) {
        pending.jobId = ((await response.json()) as { id: string }).id;
        pending.outcome = 'ok';
      } else if (response.status < 500) pending.outcome = 'fail';
    } catch (error) {
      // Nobody listened, so nobody can have heard it; any other silence proves nothing.
      const cause = (error as { cause?: { code?: string } }).cause;
      if (cause?.code === 'ECONNREFUSED') pending.outcome = 'fail';
    }
    return pending.outcome;
  }
}
