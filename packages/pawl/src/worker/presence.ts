import { hostname } from 'node:os';
import { revisionsOf } from '../handler/revision-option.ts';
import type { WorkerSign } from '../records/workers.ts';
import { ownVersion } from './version.ts';
import type { WorkerSetup } from './worker.ts';

/** Seldom enough to cost nothing: leases, not signs, decide who is lost. */
const EVERY_MS = 10_000;

type State = WorkerSign['state'];

/** What a worker says of itself, to each tenant it works for. */
function signsOf(setup: WorkerSetup, state: State): WorkerSign[] {
  const { id, jobs, slots } = setup;
  const revisions = revisionsOf(jobs);
  return (setup.tenants ?? [null]).map((tenant) => ({
    tenant,
    id,
    host: hostname(),
    pid: process.pid,
    version: ownVersion,
    types: jobs.map(({ type }) => type),
    ...(revisions === undefined ? {} : { revisions }),
    slots,
    state,
    isAnnounced: true,
  }));
}

/**
 * Tells whoever looks that a worker is there, and that it has left. Modes: *silent* until `run`,
 * then *telling*, and silent again once it has left.
 */
export class Presence {
  readonly #setup: WorkerSetup;
  readonly #onDrain: () => void;
  readonly #gone = new AbortController();
  #isTelling = false;
  #state: State = 'working';
  #last: Promise<void> = Promise.resolve();

  /** `onDrain`: somebody asked this worker to finish its jobs and leave. */
  constructor(setup: WorkerSetup, onDrain: () => void = () => undefined) {
    this.#setup = setup;
    this.#onDrain = onDrain;
  }

  async run(): Promise<void> {
    this.#isTelling = this.#setup.source.announce !== undefined;
    while (this.#isTelling && !this.#gone.signal.aborted) {
      await this.tell(this.#state);
      await this.#setup.timers.sleep(EVERY_MS, this.#gone.signal);
    }
  }

  /** One sign after the other, so that the last one is the one that stays. */
  tell(state: State): Promise<void> {
    this.#state = state;
    if (this.#isTelling) this.#last = this.#last.then(() => this.#send());
    return this.#last;
  }

  /** Takes the worker off the list, if that can be done in this time. */
  async leave(withinMs: number): Promise<void> {
    this.#gone.abort();
    const told = new AbortController();
    const left = this.tell('stopped').then(() => told.abort());
    await Promise.race([left, this.#setup.timers.sleep(withinMs, told.signal)]);
    this.#isTelling = false;
  }

  async #send(): Promise<void> {
    const { id, source, log } = this.#setup;
    try {
      const asked = (await source.announce?.(signsOf(this.#setup, this.#state))) ?? [];
      if (!asked.includes(id) || this.#state !== 'working') return;
      log.warn('draining: running handlers finish, no more jobs are claimed', { worker: id });
      this.#onDrain();
    } catch (error) {
      log.warn('worker heartbeat failed', { error: String(error) });
    }
  }
}
