import type { Instant } from '../../core/clock.ts';
import type { Job, JobRef } from '../../core/job.ts';
import type { Policy } from '../../core/policy.ts';
import type { MaintenanceStore } from '../maintenance.ts';
import type { ClaimedJob, ClaimRequest } from '../claim.ts';
import type { ControlStore } from '../control.ts';
import type {
  InsertOptions,
  InsertOutcome,
  InsertWithOptions,
  InsertWithOutcome,
  NewJob,
} from '../insert.ts';
import type { Move, MovedAndClaimed, MoveOutcome } from '../move.ts';
import type { LifecyclePlace } from '../overdue.ts';
import type { OwnedJob } from '../owned.ts';
import type { EventPage, EventQuery, JobPage, JobQuery, TailPage, TailQuery } from '../query.ts';
import { checkOps } from '../record-check.ts';
import type { RecordOp, RecordStore } from '../records.ts';
import type { Renewal, RenewOutcome } from '../renew.ts';
import type { EraseOutcome, Purge, Purged } from '../retention.ts';
import type { StageResult } from '../stage-result.ts';
import type { Standing } from '../standing.ts';
import { StoreError } from '../store-error.ts';
import type { Store } from '../store.ts';
import type { Tally } from '../tally.ts';
import type { DispatchRule, DispatchRuleChange } from '../dispatch-rule.ts';
import { applyMoves } from './apply.ts';
import { claimJobs } from './claim.ts';
import { controlIn } from './control.ts';
import { insertJobs, insertWhole, insertWith } from './insert.ts';
import { maintenanceIn } from './maintenance.ts';
import { ownedJobs } from './owned.ts';
import { listEvents, listJobs, readTail } from './queries.ts';
import { recordsIn } from './records.ts';
import { putPolicy } from './policy.ts';
import { renewLeases } from './renew.ts';
import { eraseJob, purge } from './retention.ts';
import { overdueJobs } from './overdue.ts';
import { expiredJobs, letDueIn, untilDue } from './sweep.ts';
import { tallyJobs } from './tally.ts';
import { standingOf } from './standing.ts';
import { keyOf, type MemoryOptions, Tables } from './tables.ts';
import { depthOf, listDispatchRules, putDispatchRule } from './dispatch-rule.ts';

/**
 * The port in plain maps and lists: the reference that the databases are compared with, and the
 * store of tests. It keeps everything until it is closed, and nothing after that.
 */
export class MemoryStore implements Store {
  readonly records: RecordStore;
  readonly control: ControlStore;
  readonly maintenance: MaintenanceStore;
  readonly #tables: Tables;
  #isOpen = true;

  constructor(options: MemoryOptions, tables: Tables = new Tables(options)) {
    this.#tables = tables;
    this.records = recordsIn((body) => this.transact(body));
    this.control = controlIn((body) => this.transact(body));
    this.maintenance = maintenanceIn((body) => this.transact(body));
  }

  insert(jobs: readonly NewJob[], options: InsertWithOptions): Promise<InsertWithOutcome>;
  insert(jobs: readonly NewJob[], options?: InsertOptions): Promise<InsertOutcome[]>;
  async insert(
    jobs: readonly NewJob[],
    options: InsertOptions | InsertWithOptions = {},
  ): Promise<InsertOutcome[] | InsertWithOutcome> {
    if ('with' in options) {
      checkOps(options.with);
      return this.transact((tables) => insertWith(tables, jobs, options));
    }
    const insert = options.isWhole ? insertWhole : insertJobs;
    return this.transact((tables) => insert(tables, jobs));
  }

  claim(request: ClaimRequest): Promise<ClaimedJob[]> {
    return this.transact((tables) => claimJobs(tables, request));
  }

  apply(moves: readonly Move[]): Promise<MoveOutcome[]>;
  apply(moves: readonly Move[], claim: ClaimRequest): Promise<MovedAndClaimed>;
  async apply(
    moves: readonly Move[],
    claim?: ClaimRequest,
  ): Promise<MoveOutcome[] | MovedAndClaimed> {
    for (const { with: ops = [] } of moves) checkOps(ops);
    return this.transact((tables) => {
      const outcomes = applyMoves(tables, moves);
      return claim === undefined ? outcomes : { outcomes, claimed: claimJobs(tables, claim) };
    });
  }

  renew(renewals: readonly Renewal[]): Promise<RenewOutcome[]> {
    return this.transact((tables) => renewLeases(tables, renewals));
  }

  due(limit: number): Promise<{ opened: number; waiting: Job[] }> {
    return this.transact((tables) => letDueIn(tables, limit));
  }

  untilDue(): Promise<number | null> {
    return this.transact(untilDue);
  }

  expired(limit: number): Promise<Job[]> {
    return this.transact((tables) => expiredJobs(tables, limit));
  }

  owned(owners: readonly string[], tenant: string | null): Promise<OwnedJob[]> {
    return this.transact((tables) => ownedJobs(tables, owners, tenant));
  }

  read(refs: readonly JobRef[]): Promise<(Job | null)[]> {
    return this.transact((tables) => refs.map((ref) => tables.rowOf(ref)?.job ?? null));
  }

  list(query: JobQuery): Promise<JobPage> {
    return this.transact((tables) => listJobs(tables, query));
  }

  stages(ref: JobRef): Promise<StageResult[]> {
    return this.transact((tables) => [...(tables.stages.get(keyOf(ref.tenant, ref.id)) ?? [])]);
  }

  events(query: EventQuery): Promise<EventPage> {
    return this.transact((tables) => listEvents(tables, query));
  }

  tail(query: TailQuery): Promise<TailPage> {
    return this.transact((tables) => readTail(tables, query));
  }

  incarnation(): Promise<string> {
    return this.transact((tables) => tables.incarnation);
  }

  tally(tenant: string | null, max?: number): Promise<Tally[]> {
    return this.transact((tables) => tallyJobs(tables, tenant, max));
  }

  overdue(places: readonly LifecyclePlace[], limit: number): Promise<Job[]> {
    return this.transact((tables) => overdueJobs(tables, places, limit));
  }

  standing(ref: JobRef): Promise<Standing | null> {
    return this.transact((tables) => standingOf(tables, ref));
  }

  purge(cuts: Purge): Promise<Purged> {
    return this.transact((tables) => purge(tables, cuts));
  }

  async erase(ref: JobRef, actor: string, ops: readonly RecordOp[] = []): Promise<EraseOutcome> {
    checkOps(ops);
    return this.transact((tables) => eraseJob(tables, ref, { actor, ops }));
  }

  putDispatchRule(change: DispatchRuleChange): Promise<DispatchRule> {
    return this.transact((tables) => putDispatchRule(tables, change));
  }

  rules(tenant: string | null): Promise<DispatchRule[]> {
    return this.transact((tables) => listDispatchRules(tables, tenant));
  }

  depth(ref: { tenant: string; queue: string }, max: number): Promise<number> {
    return this.transact((tables) => depthOf(tables, ref, max));
  }

  putPolicy(policy: Policy): Promise<number> {
    return this.transact((tables) => putPolicy(tables, policy));
  }

  policies(numbers: readonly number[]): Promise<Policy[]> {
    return this.transact((tables) => numbers.map((number) => tables.policyOf(number)));
  }

  now(): Promise<Instant> {
    return this.transact((tables) => tables.clock.now());
  }

  async close(): Promise<void> {
    this.#isOpen = false;
  }

  /** For those who plant faults: what a verb does, it does in here. */
  protected async transact<Answer>(body: (tables: Tables) => Answer): Promise<Answer> {
    if (!this.#isOpen) throw new StoreError('unchanged', 'the store is closed');
    return this.#tables.journal.transaction(() => body(this.#tables));
  }
}

/** Opens an empty store that lives as long as the process. */
export function openMemoryStore(options: MemoryOptions): MemoryStore {
  return new MemoryStore(options);
}
