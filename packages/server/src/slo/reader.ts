import type { Job, JobError } from 'pawl/internal/core/job';
import type { JobEvent } from 'pawl/internal/core/event';
import type { Phase } from 'pawl/internal/core/phase';
import type { Timers } from 'pawl/internal/core/timers';
import type { EngineLog } from 'pawl/internal/engine/context';
import type { Registry } from 'pawl/internal/engine/registry';
import { Periodic } from 'pawl/internal/engine/sweeps/periodic';
import type { EndCount, EndWrite, Grain, Outcome } from 'pawl/internal/records/ends';
import type { Records } from 'pawl/internal/records/records';
import type { TailItem } from 'pawl/internal/store/query';
import type { Store } from 'pawl/internal/store/store';
import { binOf } from 'pawl/internal/core/bins';
import { targetIn } from './registered.ts';
import { KEPT_MS, startOf, STRETCH_MS } from 'pawl/internal/contract/slo-window';

const READER = 'slo';
const GRAINS: readonly Grain[] = ['short', 'long'];
const PAGE = 500;
const FIRST_EVENTS = 200;
/** Who finds another process at it looks only now and then whether it still is. */
const ROUNDS_ASIDE = 10;

const ENDS: Readonly<Record<string, Phase>> = {
  job_succeeded: 'succeeded',
  job_failed: 'failed',
  job_dead_lettered: 'dead',
  job_cancelled: 'cancelled',
};

/** Failures that no promise covers: the user's own input, quota or wish was at fault. */
const USER_ERRORS: ReadonlySet<string> = new Set([
  'validation_error',
  'unsupported_format',
  'quota_exceeded',
  'invalid_document',
  'job_validation',
  'ValidationError',
  'validation_failed',
  'parse_error',
]);

/** What the reader counts, and where it keeps the counts. */
export interface SloReaderDependencies {
  readonly store: Pick<Store, 'now' | 'tail' | 'read' | 'events'>;
  readonly records: Pick<Records, 'ends'>;
  readonly registry: Pick<Registry, 'type'>;
  readonly log: EngineLog;
}

/**
 * Reads the log and adds up how jobs end. Its place in the log moves on with the counts in one
 * transaction: nothing is counted twice, left out, or lost by a restart, and any number of
 * processes may try, of which one gets on.
 */
export class SloReader {
  readonly #deps: SloReaderDependencies;
  readonly #periodic: Periodic;
  #aside = 0;
  #forgotAt = 0;

  constructor(deps: SloReaderDependencies, options: { timers: Timers; everyMs?: number }) {
    this.#deps = deps;
    this.#periodic = new Periodic({
      timers: options.timers,
      everyMs: options.everyMs ?? 2_000,
      round: () => this.#round(),
      onFailure: (error) =>
        deps.log.warn('counting ended jobs for SLOs failed; retrying', {
          error: String(error),
        }),
    });
  }

  start(): void {
    this.#periodic.start();
  }

  stop(): Promise<void> {
    return this.#periodic.stop();
  }

  async #round(): Promise<void> {
    if (this.#aside > 0) this.#aside--;
    else if ((await this.runOnce()) === null) this.#aside = ROUNDS_ASIDE;
  }

  /** Reads to the end of the log: how many ends it counted, or null where another got on. */
  async runOnce(): Promise<number | null> {
    const { store, records } = this.#deps;
    let total = 0;
    let cursor = await records.ends.readTo(READER);
    for (;;) {
      const from = cursor === null ? 'start' : { cursor };
      const page = await store.tail({ tenant: null, from, limit: PAGE });
      if (page.items.length === 0 && !page.isReset) return total;
      const counts = await this.#count(page.items);
      const step = { reader: READER, from: cursor, to: page.cursor, counts };
      const forgetBefore = this.#forgetBefore(await store.now());
      if (!(await records.ends.add({ ...step, forgetBefore }))) return null;
      total += counts.reduce((sum, { count }) => sum + count, 0) / GRAINS.length;
      cursor = page.cursor;
    }
  }

  /** Once a stretch is often enough. */
  #forgetBefore(now: number): EndWrite['forgetBefore'] {
    if (now - this.#forgotAt < STRETCH_MS.short) return null;
    this.#forgotAt = now;
    return { short: now - KEPT_MS.short, long: now - KEPT_MS.long };
  }

  async #count(items: readonly TailItem[]): Promise<EndCount[]> {
    const ends = items.filter(({ event }) => event.note === 0 && ENDS[event.type] !== undefined);
    const refs = ends.map(({ event }) => ({ tenant: event.tenant, id: event.jobId }));
    const jobs = refs.length === 0 ? [] : await this.#deps.store.read(refs);
    const counts = new Map<string, EndCount>();
    for (const [index, { event, jobType }] of ends.entries()) {
      const bin = await this.#binOf(event, jobs[index] ?? null);
      const end = { tenant: event.tenant, type: jobType, outcome: outcomeOf(event), bin };
      for (const grain of GRAINS) {
        const one = { ...end, grain, at: startOf(event.at, grain) };
        const key = JSON.stringify(one);
        counts.set(key, { ...one, count: (counts.get(key)?.count ?? 0) + 1 });
      }
    }
    return [...counts.values()];
  }

  async #binOf(event: JobEvent, job: Job | null): Promise<number | null> {
    if (job === null || job.startedAt === null) return null;
    const { measures } = await targetIn(this.#deps.registry, job.tenant, job.type);
    const first = measures === 'first_token' ? await this.#firstTokenAt(job) : null;
    return binOf(Math.max(0, (first ?? event.at) - job.startedAt));
  }

  async #firstTokenAt({ tenant, id }: Job): Promise<number | null> {
    const query = { tenant, id, after: null, limit: FIRST_EVENTS, notes: true };
    const { events } = await this.#deps.store.events(query);
    return events.find(({ type }) => type === 'job_tokens')?.at ?? null;
  }
}

function outcomeOf({ type, payload }: JobEvent): Outcome {
  const phase = ENDS[type];
  if (phase === 'succeeded' || phase === 'cancelled') return phase;
  const error = payload?.['error'] as JobError | undefined;
  return error !== undefined && USER_ERRORS.has(error.class) ? 'refused' : 'failed';
}
