import { type Clock, type Instant, systemClock } from '../../core/clock.ts';
import type { Job, JobRef } from '../../core/job.ts';
import type { Lifecycle } from '../../core/lifecycle.ts';
import type { Policy } from '../../core/policy.ts';
import type {
  Artifact,
  ArtifactCommit,
  ArtifactQuery,
  ArtifactRemoval,
  CommitOutcome,
} from '../artifact.ts';
import type { AccessStore } from '../access-key.ts';
import type { ClaimedJob, ClaimRequest } from '../claim.ts';
import type { CareStore } from '../care.ts';
import type { ControlStore } from '../control.ts';
import type { FollowerStore } from '../cursor.ts';
import type { DeadLetter, DeadLetterFilter } from '../dead-letter.ts';
import type { InsertOptions, InsertOutcome, NewJob } from '../insert.ts';
import type { MeasureStore, Vitals } from '../measure.ts';
import type { Move, MoveOutcome } from '../move.ts';
import type { EventPage, EventQuery, JobPage, JobQuery, TailPage, TailQuery } from '../query.ts';
import type { Renewal, RenewOutcome } from '../renew.ts';
import type { EraseOutcome, Purge, Purged } from '../retention.ts';
import type {
  Fire,
  FireOutcome,
  FireQuery,
  FireRecord,
  LifecyclePlace,
  Schedule,
  SchedulePut,
  SchedulePutOutcome,
  ScheduleQuery,
  ScheduleRef,
} from '../schedule.ts';
import type { StageResult } from '../stage-result.ts';
import { StoreError } from '../store-error.ts';
import type { Standing } from '../standing.ts';
import type { Store, TypeEntry, TypeRecord } from '../store.ts';
import type { Tally } from '../tally.ts';
import type { Valve, ValveChange } from '../valve.ts';
import type { WebhookStore } from '../webhook.ts';
import type { WorkerRegistry } from '../worker-registry.ts';
import type { Synchronous } from './connection.ts';
import { EarlyBell } from './early-bell.ts';
import { type Host, InlineHost, ThreadHost } from './host.ts';
import type { AnswerOf, ArgsOf, Verb } from './verbs.ts';

export interface SqliteOptions {
  /** The database file, made if it is not there, or `:memory:`. */
  readonly path: string;
  readonly lifecycles: readonly Lifecycle[];
  /** The time of every verb; without one it is the process's own, read where the verb runs. */
  readonly clock?: Clock;
  /** `thread`, the default for files, keeps the caller's event loop free of the disk. */
  readonly mode?: 'thread' | 'inline';
  /** `normal` gives up the last commits at a power cut for speed. */
  readonly synchronous?: Synchronous;
}

/** The port on one SQLite file, which this process alone owns until `close`. */
export class SqliteStore implements Store {
  readonly access: AccessStore = {
    writeAccessKey: (write) => this.#ask('writeAccessKey', write),
    accessKeys: (of) => this.#ask('accessKeys', of),
    touchAccessKeys: (ids) => this.#ask('touchAccessKeys', ids),
    addAudit: (entries) => this.#ask('addAudit', entries),
    audit: (query) => this.#ask('audit', query),
  };
  readonly control: ControlStore = {
    ailing: (since) => this.#ask('ailing', since),
    throttle: (change) => this.#ask('throttle', change),
    trimTurns: (before) => this.#ask('trimTurns', before),
    trimRates: (trim) => this.#ask('trimRates', trim),
  };
  readonly webhooks: WebhookStore = {
    writeWebhook: (write) => this.#ask('writeWebhook', write),
    webhooks: (of) => this.#ask('webhooks', of),
  };
  readonly roster: WorkerRegistry = {
    beatWorkers: (signs) => this.#ask('beatWorkers', signs),
    workers: (tenant) => this.#ask('workers', tenant),
  };
  readonly followers: FollowerStore = {
    takeFollower: (wish) => this.#ask('takeFollower', wish),
    moveFollower: (move) => this.#ask('moveFollower', move),
    listFollowers: () => this.#ask('listFollowers'),
    removeFollower: (name) => this.#ask('removeFollower', name),
  };
  readonly measures: MeasureStore = {
    addEnds: (write) => this.#ask('addEnds', write),
    endsReadTo: (reader) => this.#ask('endsReadTo', reader),
    ends: (query) => this.#ask('ends', query),
    vitals: () => this.#vitals(),
  };
  readonly care: CareStore = {
    tenants: () => this.#ask('tenants'),
    figures: () => this.#ask('figures'),
    strays: (limit) => this.#ask('strays', limit),
    // One process owns the file, and migrates it when it opens it.
    isCurrent: () => Promise.resolve(true),
    quickCheck: () => this.#ask('quickCheck'),
  };
  readonly bell?: EarlyBell;
  readonly #host: Host;
  readonly #clock: Clock | null;
  #closing: Promise<void> | null = null;

  constructor(host: Host, clock: Clock | null, bell: EarlyBell | null = null) {
    this.#host = host;
    this.#clock = clock;
    if (bell !== null) this.bell = bell;
  }

  insert(jobs: readonly NewJob[], options?: InsertOptions): Promise<InsertOutcome[]> {
    // Only calls without options are written together with others.
    const outcomes =
      options?.isWhole === true ? this.#ask('insert', jobs, options) : this.#ask('insert', jobs);
    this.bell?.asked(jobs, (this.#clock ?? systemClock).now());
    return outcomes;
  }

  claim(request: ClaimRequest): Promise<ClaimedJob[]> {
    return this.#ask('claim', request);
  }

  apply(moves: readonly Move[]): Promise<MoveOutcome[]> {
    return this.#ask('apply', moves);
  }

  renew(renewals: readonly Renewal[]): Promise<RenewOutcome[]> {
    return this.#ask('renew', renewals);
  }

  due(limit: number): Promise<{ opened: number; waiting: Job[] }> {
    return this.#ask('due', limit);
  }

  expired(limit: number): Promise<Job[]> {
    return this.#ask('expired', limit);
  }

  read(refs: readonly JobRef[]): Promise<(Job | null)[]> {
    return this.#ask('read', refs);
  }

  list(query: JobQuery): Promise<JobPage> {
    return this.#ask('list', query);
  }

  stages(ref: JobRef): Promise<StageResult[]> {
    return this.#ask('stages', ref);
  }

  events(query: EventQuery): Promise<EventPage> {
    return this.#ask('events', query);
  }

  tail(query: TailQuery): Promise<TailPage> {
    return this.#ask('tail', query);
  }

  incarnation(): Promise<string> {
    return this.#ask('incarnation');
  }

  tally(tenant: string | null, max?: number): Promise<Tally[]> {
    return this.#ask('tally', tenant, max);
  }

  deadLetters(filter: DeadLetterFilter): Promise<DeadLetter[]> {
    return this.#ask('deadLetters', filter);
  }

  commitArtifacts(commits: readonly ArtifactCommit[]): Promise<CommitOutcome[]> {
    return this.#ask('commitArtifacts', commits);
  }

  artifacts(query: ArtifactQuery): Promise<Artifact[]> {
    return this.#ask('artifacts', query);
  }

  removeArtifacts(removal: ArtifactRemoval): Promise<Artifact[]> {
    return this.#ask('removeArtifacts', removal);
  }

  putSchedule(put: SchedulePut): Promise<SchedulePutOutcome> {
    return this.#ask('putSchedule', put);
  }

  removeSchedule(ref: ScheduleRef): Promise<boolean> {
    return this.#ask('removeSchedule', ref);
  }

  schedules(query: ScheduleQuery): Promise<Schedule[]> {
    return this.#ask('schedules', query);
  }

  dueSchedules(limit: number): Promise<Schedule[]> {
    return this.#ask('dueSchedules', limit);
  }

  fire(fire: Fire): Promise<FireOutcome> {
    return this.#ask('fire', fire);
  }

  fires(query: FireQuery): Promise<FireRecord[]> {
    return this.#ask('fires', query);
  }

  overdue(places: readonly LifecyclePlace[], limit: number): Promise<Job[]> {
    return this.#ask('overdue', places, limit);
  }

  standing(ref: JobRef): Promise<Standing | null> {
    return this.#ask('standing', ref);
  }

  purge(cuts: Purge): Promise<Purged> {
    return this.#ask('purge', cuts);
  }

  erase(ref: JobRef, actor: string): Promise<EraseOutcome> {
    return this.#ask('erase', ref, actor);
  }

  putValve(change: ValveChange): Promise<Valve> {
    return this.#ask('putValve', change);
  }

  valves(tenant: string | null): Promise<Valve[]> {
    return this.#ask('valves', tenant);
  }

  depth(ref: { tenant: string; queue: string }, max: number): Promise<number> {
    return this.#ask('depth', ref, max);
  }

  putType(tenant: string, type: string, entry: TypeEntry): Promise<TypeRecord> {
    return this.#ask('putType', tenant, type, entry);
  }

  types(tenant: string): Promise<TypeRecord[]> {
    return this.#ask('types', tenant);
  }

  putPolicy(policy: Policy): Promise<number> {
    return this.#ask('putPolicy', policy);
  }

  policies(numbers: readonly number[]): Promise<Policy[]> {
    return this.#ask('policies', numbers);
  }

  async now(): Promise<Instant> {
    if (this.#closing !== null) throw closedError();
    return (this.#clock ?? systemClock).now();
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#host.close());
  }

  async #vitals(): Promise<Vitals> {
    const { pending } = this.#host;
    const vitals = await this.#ask('vitals');
    return { ...vitals, gauges: { ...vitals.gauges, sqlite_writer_queue: pending } };
  }

  #ask<Name extends Verb>(verb: Name, ...args: ArgsOf<Name>): Promise<AnswerOf<Name>> {
    if (this.#closing !== null) return Promise.reject(closedError());
    const now = this.#clock === null ? null : this.#clock.now();
    return this.#host.ask({ verb, args, now }) as Promise<AnswerOf<Name>>;
  }
}

function closedError(): StoreError {
  return new StoreError('unchanged', 'the store is closed');
}

/** Opens the database, brings its schema up to date and makes the lifecycles known to it. */
export async function openSqliteStore(options: SqliteOptions): Promise<SqliteStore> {
  const { path, lifecycles, clock = null, synchronous = 'full' } = options;
  const isFile = path !== ':memory:';
  const { mode = isFile ? 'thread' : 'inline' } = options;
  if (mode === 'thread' && !isFile) {
    throw new StoreError('refused', 'a database in memory cannot be shared by threads: use inline');
  }
  const setup = { path, lifecycles, synchronous };
  if (mode === 'inline') return new SqliteStore(InlineHost.open(setup), clock);
  return new SqliteStore(await ThreadHost.open(setup), clock, new EarlyBell());
}
