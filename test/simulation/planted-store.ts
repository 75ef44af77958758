// A store that can be made wrong: the memory store over tables without a guard.
import type { Job } from '../../src/core/job.ts';
import type { ClaimedJob, ClaimRequest } from '../../src/store/claim.ts';
import type {
  InsertOptions,
  InsertOutcome,
  InsertWithOptions,
  InsertWithOutcome,
  NewJob,
} from '../../src/store/insert.ts';
import { applyMoves } from '../../src/store/memory/apply.ts';
import { claimJobs } from '../../src/store/memory/claim.ts';
import { insertWith, insertJobs } from '../../src/store/memory/insert.ts';
import { renewLeases } from '../../src/store/memory/renew.ts';
import { MemoryStore } from '../../src/store/memory/store.ts';
import { expiredJobs } from '../../src/store/memory/sweep.ts';
import { keyOf, type MemoryOptions, type Row, Tables } from '../../src/store/memory/tables.ts';
import type { Move, MovedAndClaimed, MoveOutcome } from '../../src/store/move.ts';
import type { JobPage, JobQuery, TailPage, TailQuery } from '../../src/store/query.ts';
import type { RecordOp } from '../../src/store/records.ts';
import type { Renewal, RenewOutcome } from '../../src/store/renew.ts';
import type { OpenStore } from '../support/world.ts';

/** Jobs and the records that go along with them. */
export interface Along {
  readonly jobs: readonly NewJob[];
  readonly ops: readonly RecordOp[];
}

/** What goes wrong: each member may change what is asked, or the tables themselves, beforehand. */
export interface Bug {
  readonly insert?: (tables: Tables, job: NewJob) => NewJob;
  readonly beforeClaim?: (tables: Tables, request: ClaimRequest) => void;
  readonly apply?: (tables: Tables, move: Move) => Move;
  readonly renew?: (tables: Tables, renewal: Renewal) => Renewal;
  readonly expired?: (tables: Tables) => Job[];
  /** An answer instead of any work. */
  readonly answersInsert?: (tables: Tables, job: NewJob) => InsertOutcome | null;
  readonly asksClaim?: (request: ClaimRequest) => ClaimRequest;
  /** Of a claim that is made in one call with moves. */
  readonly asksClaimBeside?: (request: ClaimRequest) => ClaimRequest;
  readonly afterApply?: (tables: Tables, move: Move, outcome: MoveOutcome) => void;
  readonly asksTail?: (query: TailQuery) => TailQuery;
  readonly tail?: (page: TailPage, query: TailQuery) => TailPage;
  readonly lists?: (tables: Tables) => JobPage;
  readonly insertWith?: (tables: Tables, asked: Along) => Along;
  /** Whether the log forgets the event with this number. */
  readonly forgets?: (number: number) => boolean;
}

class UnguardedTables extends Tables {
  override change(before: Row, after: Row): Row {
    const isNewVersion = after.job.version !== before.job.version;
    const row = { ...after, notes: isNewVersion ? 0 : after.notes };
    this.jobs.set(keyOf(row.job.tenant, row.job.id), row);
    return row;
  }
}

/** Writes a job's row past every rule. */
export function overwrite(tables: Tables, row: Row, edit: Partial<Job>, isOpen = row.isOpen): void {
  const { tenant, id } = row.job;
  tables.jobs.set(keyOf(tenant, id), { ...row, isOpen, job: { ...row.job, ...edit } });
}

export function openPlanted(bug: Bug): OpenStore {
  return async (options) => new PlantedStore(options, bug);
}

/** The memory store with its verbs gone wrong; what is not named here is as it should be. */
class PlantedStore extends MemoryStore {
  readonly #bug: Bug;

  constructor(options: MemoryOptions, bug: Bug) {
    const tables = new UnguardedTables(options);
    if (bug.forgets !== undefined) forgetEvents(tables, bug.forgets);
    super(options, tables);
    this.#bug = bug;
  }

  override insert(jobs: readonly NewJob[], options: InsertWithOptions): Promise<InsertWithOutcome>;
  override insert(jobs: readonly NewJob[], options?: InsertOptions): Promise<InsertOutcome[]>;
  override insert(
    jobs: readonly NewJob[],
    options: InsertOptions | InsertWithOptions = {},
  ): Promise<InsertOutcome[] | InsertWithOutcome> {
    if ('with' in options) {
      return this.transact((tables) => {
        const asked = { jobs, ops: options.with };
        const { jobs: given, ops } = this.#bug.insertWith?.(tables, asked) ?? asked;
        return insertWith(tables, given, { ...options, with: ops });
      });
    }
    return this.transact((tables) =>
      jobs.flatMap((job) => {
        const answer = this.#bug.answersInsert?.(tables, job) ?? null;
        return answer ?? insertJobs(tables, [this.#bug.insert?.(tables, job) ?? job]);
      }),
    );
  }

  override claim(request: ClaimRequest): Promise<ClaimedJob[]> {
    return this.transact((tables) => this.#claim(tables, request));
  }

  #claim(tables: Tables, request: ClaimRequest): ClaimedJob[] {
    this.#bug.beforeClaim?.(tables, request);
    return claimJobs(tables, this.#bug.asksClaim?.(request) ?? request);
  }

  override async tail(query: TailQuery): Promise<TailPage> {
    const page = await super.tail(this.#bug.asksTail?.(query) ?? query);
    return this.#bug.tail?.(page, query) ?? page;
  }

  override async list(query: JobQuery): Promise<JobPage> {
    const { lists } = this.#bug;
    return lists === undefined ? super.list(query) : this.transact(lists);
  }

  override apply(moves: readonly Move[]): Promise<MoveOutcome[]>;
  override apply(moves: readonly Move[], claim: ClaimRequest): Promise<MovedAndClaimed>;
  override apply(
    moves: readonly Move[],
    claim?: ClaimRequest,
  ): Promise<MoveOutcome[] | MovedAndClaimed> {
    return this.transact((tables) => {
      const outcomes = this.#apply(tables, moves);
      if (claim === undefined) return outcomes;
      const asked = this.#bug.asksClaimBeside?.(claim) ?? claim;
      return { outcomes, claimed: this.#claim(tables, asked) };
    });
  }

  #apply(tables: Tables, moves: readonly Move[]): MoveOutcome[] {
    return moves.flatMap((move) => {
      const outcomes = applyMoves(tables, [this.#bug.apply?.(tables, move) ?? move]);
      this.#bug.afterApply?.(tables, move, outcomes[0]!);
      return outcomes;
    });
  }

  override renew(renewals: readonly Renewal[]): Promise<RenewOutcome[]> {
    return this.transact((tables) =>
      renewals.flatMap((one) => renewLeases(tables, [this.#bug.renew?.(tables, one) ?? one])),
    );
  }

  override expired(limit: number): Promise<Job[]> {
    return this.transact((tables) => this.#bug.expired?.(tables) ?? expiredJobs(tables, limit));
  }
}

function forgetEvents({ log }: Tables, forgets: (number: number) => boolean): void {
  const append = log.append.bind(log);
  let written = 0;
  log.append = (event) => {
    if (event.note > 0 || !forgets(++written)) append(event);
  };
}
