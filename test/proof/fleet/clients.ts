// Clients that ask once, and are honest about what they know: done, not done, or nobody can tell.
import type { Outcome, SubmitOperation } from 'pawl/internal/check/history';
import { isTerminal, type Phase } from 'pawl/internal/core/phase';
import { SeededRandom } from 'pawl/internal/core/random';
import { systemTimers } from 'pawl/internal/core/timers';
import { type Answer, outcomeOf, send, textOf } from './answers.ts';
import { type Errand, type Flow, LEASE_MS } from './jobs.ts';

export const TENANT = 'default';
const WINDOW_MS = 86_400_000;
const ASKS_MAX = 4;
const PAUSE_MS = 100;
const SLOW_SHARE = 0.02;
const FLOW_SHARE = 0.05;
const PARTS_MAX = 8;
type Pending = { -readonly [Name in keyof SubmitOperation]: SubmitOperation[Name] };

export interface ClientsOptions {
  readonly urls: readonly string[];
  readonly seed: number;
  readonly count: number;
  readonly batch: number;
  /** How many jobs may have been accepted by now. */
  readonly quota: () => number;
  /** Older releases call a cancel done that was overtaken by a success. */
  readonly isStrict: boolean;
  /** Which share of the jobs takes longer than a lease; few unless told otherwise. */
  readonly slowShare?: number | undefined;
}

export class Clients {
  readonly history: SubmitOperation[] = [];
  readonly acknowledged: string[] = [];
  /** What was said last of a job that every answer refused, by its mark. */
  readonly refusals: Map<string, string> = new Map();
  /** When a job was acknowledged, by its id. */
  readonly acknowledgedAt: Map<string, number> = new Map();
  /** What was answered to a cancel, the most binding answer last. */
  readonly cancels: Map<string, 'asked' | 'done'> = new Map();
  /** A read that contradicts an earlier answer. */
  readonly contradictions: string[] = [];
  /** The same while a former primary may be asked that nobody has told of its end. */
  readonly staleReads: string[] = [];
  mayBeStale: boolean = false;
  readonly calls: Record<Outcome, number> = { ok: 0, fail: 0, unknown: 0 };
  readonly #options: ClientsOptions;
  readonly #random: SeededRandom;
  readonly #stop: AbortController = new AbortController();
  readonly #seen: Map<string, { version: number; phase: string }> = new Map();
  /** Marks of jobs that may be stored: they were asked for again, or nobody can tell. */
  readonly #possible: Set<string> = new Set();
  #asked = 0;
  #work: Promise<unknown> = Promise.resolve();

  constructor(options: ClientsOptions) {
    this.#options = options;
    this.#random = new SeededRandom(options.seed);
  }

  start(): void {
    const producers = Array.from({ length: this.#options.count }, () => this.#produce());
    this.#work = Promise.all([...producers, this.#read()]);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#work;
  }

  /** Asks twice, all at once, for the end of jobs that were accepted lately. */
  async cancelMany(count: number): Promise<number> {
    const ids = this.acknowledged.slice(-count);
    for (const id of ids) if (!this.cancels.has(id)) this.cancels.set(id, 'asked');
    const answers = await Promise.all(
      [...ids, ...ids].map(async (id) => {
        const mode = this.#random.next() < 0.5 ? 'soft' : 'hard';
        const answer = await send(`${this.#url()}/v1/jobs/${id}/cancel`, { mode });
        this.calls[outcomeOf(answer)] += 1;
        if (answer?.status === 200) this.#noteCancel(id, answer.body as { phase: string });
        return answer;
      }),
    );
    return answers.filter((answer) => answer !== null && answer.status < 500).length;
  }

  #noteCancel(id: string, { phase }: { phase: string }): void {
    if (phase === 'cancelled') this.cancels.set(id, 'done');
    else if (this.#options.isStrict) {
      this.contradictions.push(`I10 the cancel of ${id} was called done, and it is ${phase}`);
    }
  }

  /**
   * Whether nothing is under way any more, as far as a client is told. Asked phase by phase, a job
   * that moves on between two answers is seen in neither; so each job is asked for once, and an end
   * is final.
   */
  async isQuiet(): Promise<boolean> {
    let cursor: string | null = null;
    do {
      const from = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const answer = await send(`${this.#url()}/v1/jobs?limit=200${from}`);
      if (answer?.status !== 200) return false;
      const page = answer.body as { items: { phase: Phase }[]; nextCursor: string | null };
      if (page.items.some(({ phase }) => !isTerminal(phase))) return false;
      cursor = page.nextCursor;
    } while (cursor !== null);
    return true;
  }

  /** Whether each server answers for itself. */
  async areServersUp(): Promise<boolean> {
    const answers = await Promise.all(this.#options.urls.map((url) => send(`${url}/readyz`)));
    return answers.every((answer) => answer?.status === 200);
  }

  /** One short job through a server of one's choice; whether it was acknowledged. */
  probe(url: string): Promise<boolean> {
    const marks = [`m${this.#asked++}`];
    return this.#ask({ marks, inputs: [{ ms: 0, failures: 0 }], key: null, url });
  }

  /** Some more jobs, beyond what was planned. */
  async askFor(count: number): Promise<void> {
    const first = this.#asked;
    this.#asked += count;
    const marks = Array.from({ length: count }, (_, index) => `m${first + index}`);
    await this.#ask({ marks, inputs: marks.map(() => ({ ms: 50, failures: 0 })), key: null });
  }

  #url(): string {
    return this.#random.pick(this.#options.urls);
  }

  async #produce(): Promise<void> {
    const { quota, batch } = this.#options;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      if (this.acknowledged.length >= quota()) {
        await systemTimers.sleep(PAUSE_MS, signal);
        continue;
      }
      const size = this.#random.next() < 0.4 ? 1 : batch;
      const first = this.#asked;
      this.#asked += size;
      const marks = Array.from({ length: size }, (_, index) => `m${first + index}`);
      // Only with a key may the same be asked again; without one it would be another job.
      const key = this.#random.next() < 0.5 ? `k${first}` : null;
      const inputs = marks.map(() => this.#input());
      for (let asks = 0; asks < (key === null ? 1 : ASKS_MAX); asks++) {
        if (await this.#ask({ marks, inputs, key })) break;
        await systemTimers.sleep(this.#random.below(10 * PAUSE_MS), signal);
      }
    }
  }

  #input(): Errand | Flow {
    if (this.#random.next() >= FLOW_SHARE) return this.#errand();
    const count = 1 + this.#random.below(PARTS_MAX);
    return { parts: Array.from({ length: count }, () => this.#errand()) };
  }

  /** Most are short; some outlive a lease, and some fail at first. */
  #errand(): Errand {
    const kind = this.#random.next();
    const ms =
      kind < (this.#options.slowShare ?? SLOW_SHARE)
        ? LEASE_MS / 2
        : kind < 0.1
          ? 250
          : this.#random.below(20);
    return { ms, failures: this.#random.next() < 0.03 ? 1 : 0 };
  }

  /** True when every job of it was accepted. */
  async #ask(asked: {
    marks: string[];
    inputs: (Errand | Flow)[];
    key: string | null;
    url?: string;
  }): Promise<boolean> {
    const { marks, inputs, key, url = this.#url() } = asked;
    const isSingle = marks.length === 1;
    const pending = marks.map((mark, index): Pending => ({
      kind: 'submit',
      tenant: TENANT,
      outcome: 'unknown',
      jobId: null,
      correlationId: mark,
      idempotency:
        key === null ? null : { key: isSingle ? key : `${key} #${index}`, windowMs: WINDOW_MS },
    }));
    this.history.push(...pending);
    const jobs = marks.map((mark, index) => ({
      type: 'parts' in inputs[index]! ? 'flow' : 'errand',
      input: inputs[index],
      correlationId: mark,
    }));
    const path = isSingle ? '/v1/jobs' : '/v1/jobs/batch';
    const answer = await send(url + path, isSingle ? jobs[0] : { jobs }, key ?? undefined);
    this.calls[outcomeOf(answer)] += 1;
    const answers = isSingle ? [answer] : itemsOf(answer, marks.length);
    for (const [index, one] of answers.entries()) this.#note(pending[index]!, one);
    return pending.every(({ outcome }) => outcome === 'ok');
  }

  #note(pending: Pending, answer: Answer | null): void {
    pending.outcome = outcomeOf(answer);
    this.#noteRefusal(pending.correlationId!, pending.outcome, answer);
    if (pending.outcome !== 'ok') return;
    pending.jobId = (answer!.body as { id: string }).id;
    this.acknowledged.push(pending.jobId);
    this.acknowledgedAt.set(pending.jobId, performance.now());
  }

  /** A refusal speaks of its own request: another one of the same job may have made it. */
  #noteRefusal(mark: string, outcome: Outcome, answer: Answer | null): void {
    if (outcome !== 'fail') {
      this.#possible.add(mark);
      this.refusals.delete(mark);
    } else if (!this.#possible.has(mark)) {
      this.refusals.set(mark, textOf(answer!));
    }
  }

  /** Reads what was accepted, again and again: a job never goes back, whoever is asked. */
  async #read(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await systemTimers.sleep(PAUSE_MS / 2, signal);
      if (this.acknowledged.length === 0) continue;
      const recent = this.acknowledged.slice(-200);
      const id = this.#random.pick(this.#random.next() < 0.5 ? recent : this.acknowledged);
      const answer = await send(`${this.#url()}/v1/jobs/${id}`);
      this.calls[outcomeOf(answer)] += 1;
      if (answer?.status === 404) this.#doubt(`I1 ${id} was accepted, and is not found`);
      if (answer?.status === 200)
        this.#compare(id, answer.body as { version: number; phase: string });
    }
  }

  #compare(id: string, { version, phase }: { version: number; phase: string }): void {
    const before = this.#seen.get(id);
    this.#seen.set(id, { version, phase });
    if (before === undefined || version >= before.version) return;
    const story = `version ${before.version} (${before.phase}), then ${version} (${phase})`;
    this.#doubt(`I8 ${id} was read as ${story}`);
  }

  #doubt(contradiction: string): void {
    (this.mayBeStale ? this.staleReads : this.contradictions).push(contradiction);
  }
}

/** One answer for each job of a batch; a batch that failed failed for all of them. */
function itemsOf(answer: Answer | null, count: number): readonly (Answer | null)[] {
  if (answer === null || answer.status !== 200) return Array.from({ length: count }, () => answer);
  const { results } = answer.body as {
    results: { status: number; job?: unknown; error?: unknown }[];
  };
  return results.map(({ status, job, error }) => ({ status, body: job ?? error }));
}
