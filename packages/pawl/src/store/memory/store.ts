import type { Instant } from '../../core/clock.ts';
import type { JobRef } from '../../core/job.ts';
import type { MaintenanceStore } from '../maintenance.ts';
import type { ClaimRequest } from '../claim.ts';
import type { ControlStore } from '../control.ts';
import type {
  InsertOptions,
  InsertOutcome,
  InsertWithOptions,
  InsertWithOutcome,
  NewJob,
} from '../insert.ts';
import type { Move, MovedAndClaimed, MoveOutcome } from '../move.ts';
import { bodyOf, defineVerbs, type VerbTable, WithPlainVerbs } from '../plain-verbs.ts';
import { checkOps } from '../record-check.ts';
import type { RecordOp, RecordStore } from '../records.ts';
import type { EraseOutcome, Purge, Purged } from '../retention.ts';
import { StoreError } from '../store-error.ts';
import type { Store } from '../store.ts';
import { applyMoves } from './apply.ts';
import { claimJobs } from './claim.ts';
import { controlIn } from './control.ts';
import { insertJobs, insertWhole, insertWith } from './insert.ts';
import { maintenanceIn } from './maintenance.ts';
import { ownedJobs } from './owned.ts';
import { listEvents, listJobs, readEntries, readJobs, readTail } from './queries.ts';
import { recordsIn } from './records.ts';
import { putPolicy } from './policy.ts';
import { renewLeases } from './renew.ts';
import { eraseJob, purge } from './retention.ts';
import { overdueJobs } from './overdue.ts';
import { readPast } from './past.ts';
import { expiredJobs, letDueIn, untilDue } from './sweep.ts';
import { tallyJobs } from './tally.ts';
import { standingOf } from './standing.ts';
import { keyOf, type MemoryOptions, Tables } from './tables.ts';
import { depthOf, listDispatchRules, putDispatchRule } from './dispatch-rule.ts';

const VERBS: VerbTable<Tables> = {
  claim: claimJobs,
  renew: renewLeases,
  due: letDueIn,
  untilDue,
  expired: expiredJobs,
  overdue: overdueJobs,
  owned: ownedJobs,
  read: readJobs,
  list: listJobs,
  stages: ({ stages }, { tenant, id }) => [...(stages.get(keyOf(tenant, id)) ?? [])],
  countStages: ({ stages }, { tenant, id }, except) =>
    (stages.get(keyOf(tenant, id)) ?? []).filter(({ name }) => name !== except).length,
  events: listEvents,
  tail: readTail,
  entries: readEntries,
  incarnation: ({ incarnation }) => incarnation,
  tally: tallyJobs,
  past: readPast,
  standing: standingOf,
  putDispatchRule,
  rules: listDispatchRules,
  depth: depthOf,
  putPolicy,
  policies: (tables, numbers) => numbers.map((number) => tables.policyOf(number)),
};

/**
 * The port in plain maps and lists: the reference that the databases are compared with, and the
 * store of tests. It keeps everything until it is closed, and nothing after that.
 */
export class MemoryStore extends WithPlainVerbs implements Store {
  readonly records: RecordStore;
  readonly control: ControlStore;
  readonly maintenance: MaintenanceStore;
  readonly #tables: Tables;
  #isOpen = true;

  static {
    defineVerbs(MemoryStore.prototype, VERBS, (store, verb, args) =>
      store.transact((tables) => bodyOf(VERBS, verb)(tables, ...args)),
    );
  }

  constructor(options: MemoryOptions, tables: Tables = new Tables(options)) {
    super();
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

  purge(cuts: Purge): Promise<Purged> {
    return this.transact((tables) => purge(tables, cuts));
  }

  async erase(ref: JobRef, actor: string, ops: readonly RecordOp[] = []): Promise<EraseOutcome> {
    checkOps(ops);
    return this.transact((tables) => eraseJob(tables, ref, { actor, ops }));
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
