import { setTimeout as sleep } from 'node:timers/promises';
import { systemTimers } from '../../src/core/timers.ts';
import type { JobRef } from '../../src/core/job.ts';
import type { Claim } from '../../src/engine/claim.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { cutsAt, retentionPolicy } from '../../src/engine/retention/policy.ts';
import type { Ending } from '../../src/core/ending.ts';
import { Sweeper } from '../../src/engine/sweeps/sweeper.ts';
import type { JobQuery } from '../../src/store/query.ts';
import { expectAll, INPUT, SUCCESS, TENANT } from '../core/contender.ts';
import { type Site, SLICE } from './site.ts';
import { BACKOFF_MS, CALLER, openEngine, type Opened, OWNER, TYPE } from './templates.ts';

/** Hears how long a call of a verb took. */
export type Hear = (verb: string, ms: number) => void;

const PAGE = 50;
const NEWS = 10;
const DAY_MS = 86_400_000;
const RETRIED: Ending = {
  kind: 'fail',
  error: { class: 'network_timeout', message: 'it took too long' },
};

/** One database, and all that a platform does with it, a call at a time. */
export class Lived {
  readonly site: Site;
  readonly #engine: Engine;
  readonly #sweeper: Sweeper;
  #hear: Hear = () => undefined;

  private constructor(site: Site, { context, engine }: Opened) {
    this.site = site;
    this.#engine = engine;
    // Its retention would take away in one go what the purge is measured with.
    const retention = { jobsMs: null };
    this.#sweeper = new Sweeper(context, { timers: systemTimers, retention });
  }

  static async open(site: Site): Promise<Lived> {
    return new Lived(site, await openEngine(site.store));
  }

  tell(hear: Hear): void {
    this.#hear = hear;
  }

  async #time<Answer>(verb: string, work: () => Promise<Answer>): Promise<Answer> {
    const from = performance.now();
    const answer = await work();
    this.#hear(verb, performance.now() - from);
    return answer;
  }

  /** Every writing verb once, with so many jobs a call. */
  async write(size: number): Promise<void> {
    const named = (verb: string): string => (size === 1 ? verb : `${verb}, ${size} a call`);
    await this.#time(named('enqueue'), () => this.#enqueue(size));
    const first = await this.#time(named('claim'), () => this.#claim(size));
    await this.#time(named('renew, with progress'), () => this.#renew(first));
    await this.#time(named('fail, to be retried'), () => this.#settle(first, RETRIED));
    await sleep(2 * BACKOFF_MS);
    const back = await this.#time(named('sweep that brings retries back'), () =>
      this.#engine.sweepDue(),
    );
    expectAll(back, size, 'brought back');
    const second = await this.#claim(size);
    await this.#time(named('complete'), () => this.#settle(second, SUCCESS));
    const waiting = await this.#enqueue(size);
    await this.#time(named('cancel'), () => this.#cancel(waiting));
    const some = await this.#pick(size);
    await this.#time(named('read'), () => this.site.store.read(some));
  }

  /** Whatever is asked of one job, one page or the whole, and a round of all sweeps. */
  async look(): Promise<void> {
    const page = (verb: string, more: Partial<JobQuery>): Promise<unknown> =>
      this.#time(verb, () => this.#engine.jobs({ tenant: TENANT, limit: PAGE, ...more }));
    await page('list, newest page', {});
    await page('list, a page of long ago', { before: idAt(Date.now() - 15 * DAY_MS) });
    await page('list, page of what failed', { phase: 'failed' });
    const [ref] = await this.#pick(1);
    await this.#time('events of a job', () =>
      this.#engine.events({ ...ref!, after: null, limit: PAGE, notes: true }),
    );
    await this.#follow();
    await this.#time('tally of queues', () => this.#engine.tally(TENANT));
    const round = await this.#time('round of all sweeps, nothing due', () =>
      this.#sweeper.runOnce(),
    );
    expectAll(round.failed.length, 0, 'failed duties');
  }

  /** As the server does for its streams: to the end of the log, and then whatever is new. */
  async #follow(): Promise<void> {
    const asked = { tenant: TENANT, limit: PAGE };
    const { cursor } = await this.#time('tail, from the end', () =>
      this.#engine.tail({ ...asked, from: 'end' }),
    );
    const waiting = await this.#enqueue(NEWS);
    const { items } = await this.#time(`tail, ${NEWS} new events`, () =>
      this.#engine.tail({ ...asked, from: { cursor } }),
    );
    expectAll(items.length, NEWS, 'new events');
    await this.#cancel(waiting);
  }

  /** One slice of what is no longer kept; a call that found less than a slice tells nothing. */
  async purge(): Promise<void> {
    const cuts = cutsAt(retentionPolicy(), await this.site.store.now());
    for (let hasMore = true; hasMore;) {
      const from = performance.now();
      const purged = await this.site.store.purge({ ...cuts, limit: SLICE });
      const isSlice = purged.jobs === SLICE;
      if (isSlice) this.#hear(`purge of ${SLICE} old jobs`, performance.now() - from);
      hasMore = purged.hasMore && !isSlice;
    }
  }

  async #enqueue(size: number): Promise<JobRef[]> {
    const requests = Array.from({ length: size }, () => ({ type: TYPE, input: INPUT }));
    const results = await this.#engine.enqueue(requests, { caller: CALLER });
    const jobs = results.flatMap((result) => (result.kind === 'created' ? [result.job] : []));
    expectAll(jobs.length, size, 'enqueued');
    return jobs.map(({ tenant, id }) => ({ tenant, id }));
  }

  async #claim(size: number): Promise<Claim[]> {
    const claims = await this.#engine.claim({ owner: OWNER, types: [TYPE], max: size });
    expectAll(claims.length, size, 'claimed');
    return claims;
  }

  async #renew(claims: readonly Claim[]): Promise<void> {
    const said = { owner: OWNER, progress: 50, message: 'halfway' };
    const results = await this.#engine.renew(
      claims.map(({ job }) => ({ ref: job, epoch: job.epoch, known: job, ...said })),
    );
    expectAll(results.filter(({ kind }) => kind === 'renewed').length, claims.length, 'renewed');
  }

  async #settle(claims: readonly Claim[], ending: Ending): Promise<void> {
    const outcomes = await this.#engine.settle(
      claims.map(({ job }) => ({ ref: job, owner: OWNER, epoch: job.epoch, known: job, ending })),
    );
    expectAll(outcomes.filter(({ kind }) => kind === 'moved').length, claims.length, 'settled');
  }

  async #cancel(refs: readonly JobRef[]): Promise<void> {
    const results = await this.#engine.cancel(
      refs.map((ref) => ({ ref, actor: OWNER, mode: 'soft', reason: null })),
    );
    expectAll(results.filter(({ kind }) => kind === 'done').length, refs.length, 'cancelled');
  }

  /** Jobs of any age, as far as there are some. */
  async #pick(count: number): Promise<JobRef[]> {
    const before = idAt(Date.now() - Math.random() * 29 * DAY_MS);
    const asked = { tenant: TENANT, limit: count };
    const found = await this.#engine.jobs({ ...asked, before });
    const { jobs } = found.jobs.length < count ? await this.#engine.jobs(asked) : found;
    return jobs.map(({ tenant, id }) => ({ tenant, id }));
  }
}

/** The smallest id of that moment. */
function idAt(ms: number): string {
  const time = Math.trunc(ms).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
}
