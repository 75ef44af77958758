// The jobs that sessions race for, made anew for every order.
import pg from 'pg';
import { ManualClock } from '../../../src/core/clock.ts';
import type { Job } from '../../../src/core/job.ts';
import { builtInLifecycles } from '../../../src/lifecycles/built-in.ts';
import type { NewJob } from '../../../src/store/insert.ts';
import type { Purge } from '../../../src/store/retention.ts';
import { openPostgresStore, type PostgresStore } from '../../../src/store/postgres/store.ts';
import { Scene } from '../../store/suite/scene.ts';
import { Session } from './session.ts';

const HOUR = 3_600_000;
const LEASE = { ttlMs: 400 * 24 * HOUR, heartbeatMs: 100 * 24 * HOUR };

/** What one race is about. */
export interface Stand {
  readonly scene: Scene;
  /** Owned by w1; of a plain type, of one with a limit, and one whose lease is over. */
  readonly running: Job;
  readonly limited: Job;
  readonly lost: Job;
  readonly ended: Job;
  readonly clock: ManualClock;
  /** Up to here the partition of all these jobs is over. */
  readonly cut: number;
  /** One that nobody has inserted yet. */
  readonly job: (type: 'task' | 'limited', options?: Partial<NewJob>) => NewJob;
}

/** A database with some sessions on it. */
export class Ground {
  readonly clock: ManualClock;
  readonly sessions: Session[] = [];
  readonly store: PostgresStore;
  readonly watcher: pg.Client;

  private constructor(store: PostgresStore, watcher: pg.Client, clock: ManualClock) {
    this.store = store;
    this.watcher = watcher;
    this.clock = clock;
  }

  static async open(url: string, count: number): Promise<Ground> {
    const watcher = new pg.Client({ connectionString: url });
    await watcher.connect();
    const clock = new ManualClock();
    const store = await openPostgresStore({ url, clock, lifecycles: builtInLifecycles });
    const ground = new Ground(store, watcher, clock);
    // The first partitions cover days; all later ones an hour each.
    clock.advance(40 * 24 * HOUR);
    await ground.#dropOlder();
    for (let n = 0; n < count; n++) ground.sessions.push(await Session.open(url, clock, watcher));
    return ground;
  }

  async close(): Promise<void> {
    for (const session of this.sessions) await session.close();
    await this.store.close();
    await this.watcher.end();
  }

  /** Jobs of a tenant of its own; every session knows the names that it will need. */
  async prepare(kind: StandKind): Promise<Stand> {
    const { clock, store } = this;
    if (kind !== 'plain') await this.#dropOlder();
    const scene = new Scene({ store, clock, lifecycles: builtInLifecycles });
    await scene.type('task', 'task', { lease: LEASE });
    await scene.type('limited', 'task', { lease: LEASE, limits: LIMITS });
    await scene.type('brief', 'task', { lease: { ttlMs: 1_000, heartbeatMs: 250 } });
    for (const { store: own } of this.sessions) {
      for (const type of ['task', 'limited']) {
        await own.insert([await scene.newJob({ type, limitKey: 'k' })]);
      }
      await own.claim({ ...scene.claimRequest({ owner: 'w2' }), types: ['none'] });
    }
    const running = await scene.claimOne({ types: ['task'] });
    const tried = await scene.ask(await scene.claimOne({ types: ['task'] }), FAILURE);
    const limited = await scene.claimOne({ types: ['limited'] });
    await scene.enqueue({ type: 'brief' });
    const lost = await scene.claimOne({ types: ['brief'] });
    await scene.enqueue({ type: 'task', runAt: clock.now() + 1_500 });
    clock.advance(kind === 'plain' ? 2_000 : 2 * HOUR);
    if (kind === 'log') await this.#endLog();
    const ended = await this.#finish(scene, tried);
    const made = await Promise.all(
      ['task', 'limited', 'task', 'limited', 'task', 'limited'].map((type) =>
        scene.newJob({ type, limitKey: 'k' }),
      ),
    );
    const job: Stand['job'] = (type, options = {}) => {
      const at = made.findIndex((one) => one.type === type);
      return { ...made.splice(at, 1)[0]!, ...options };
    };
    return { scene, running, limited, lost, ended, clock, cut: clock.now(), job };
  }

  /** The others that are claimed with it are given back. */
  async #finish(scene: Scene, job: Job): Promise<Job> {
    await scene.ask(job, { on: 'requeue' });
    for (const claimed of await scene.claim({ types: ['task'] })) {
      if (claimed.job.id === job.id) await scene.ask(claimed.job, { on: 'succeed' });
      else await scene.ask(claimed.job, { on: 'release' });
    }
    return scene.read(job);
  }

  /** The jobs are carried on, and the next entry of the log is the first of another partition. */
  async #endLog(): Promise<void> {
    this.clock.advance(20 * 24 * HOUR);
    await this.#dropOlder();
    await this.watcher.query(
      `SELECT setval('pawl.log_n', ((last_value >> 32) + 1) << 32) FROM pawl.log_n`,
    );
    await this.watcher.query(`SELECT pawl.ensure_partitions('1 hour', $1)`, [this.clock.now()]);
  }

  /** What lies before now goes, so that the jobs to come are in the oldest partition. */
  async #dropOlder(): Promise<void> {
    this.clock.advance(4 * HOUR);
    const jobs = this.clock.now() - HOUR;
    const cuts: Purge = { jobs, notes: jobs, feed: null, keys: null, limit: 100 };
    while ((await this.store.purge(cuts)).hasMore);
  }
}

/** Whether the jobs lie in a partition that is over, or in none, with their log in one that is. */
export type StandKind = 'plain' | 'partition' | 'log';

const FAILURE = { on: 'fail', error: { class: 'network_timeout', message: 'it said no' } } as const;

const LIMITS = {
  activePerDocument: true,
  runningPerKey: { max: 1, key: 'limitKey' },
  rate: null,
} as const;
