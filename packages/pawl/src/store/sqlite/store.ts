import { type Clock, type Instant, systemClock } from '../../core/clock.ts';
import type { JobRef } from '../../core/job.ts';
import type { Lifecycle } from '../../core/lifecycle.ts';
import type { ClaimRequest } from '../claim.ts';
import type { MaintenanceStore, RowCheck, RowPosition, Vitals } from '../maintenance.ts';
import type { ControlStore } from '../control.ts';
import type {
  InsertOptions,
  InsertOutcome,
  InsertWithOptions,
  InsertWithOutcome,
  NewJob,
} from '../insert.ts';
import { hasRecords, type Move, type MovedAndClaimed, type MoveOutcome } from '../move.ts';
import { defineVerbs, WithPlainVerbs } from '../plain-verbs.ts';
import { checkedRecords, checkOps } from '../record-check.ts';
import type { MovingStore } from '../moving.ts';
import type { RecordOp, RecordStore } from '../records.ts';
import type { EraseOutcome, Purge, Purged } from '../retention.ts';
import { HealthWatch } from '../health-watch.ts';
import { StoreError } from '../store-error.ts';
import type { Store } from '../store.ts';
import type { Synchronous } from './connection.ts';
import { lookAtDisk } from './disk.ts';
import { EarlyWakeSignal } from './early-wake-signal.ts';
import { type Host, InlineHost, ThreadHost } from './host.ts';
import { PLAIN_READS } from './reads.ts';
import { type AnswerOf, type ArgsOf, isWrite, type Verb } from './verbs.ts';
import { PLAIN_WRITES } from './writes.ts';

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

interface SqliteParts {
  readonly path: string;
  readonly clock?: Clock | null;
  readonly wakeSignal?: EarlyWakeSignal | null;
}

/** The port on one SQLite file, which this process alone owns until `close`. */
export class SqliteStore extends WithPlainVerbs implements Store {
  readonly records: RecordStore = checkedRecords({
    read: (keys) => this.#ask('readRecords', keys),
    list: (query) => this.#ask('listRecords', query),
    count: (match, by) => this.#ask('countRecords', match, by),
    write: (ops) => this.#ask('writeRecords', ops),
  });
  readonly control: ControlStore = {
    ailing: (since) => this.#ask('ailing', since),
    throttle: (change) => this.#ask('throttle', change),
    trimRates: (trim) => this.#ask('trimRates', trim),
  };
  readonly maintenance: MaintenanceStore = {
    tenants: () => this.#ask('tenants'),
    figures: () => this.#ask('figures'),
    vitals: () => this.#vitals(),
    strays: (limit) => this.#ask('strays', limit),
    failedTypes: (max, without) => this.#ask('failedTypes', max, without),
    // One process owns the file and migrates it when it opens it, so it is never behind.
    health: () => this.#health.health(),
    checkRows: (position, limit) => this.#checkRows(position, limit),
    quickCheck: () => this.#quickCheck(),
  };
  readonly moving: MovingStore = {
    kind: 'SQLite',
    standing: (tenant) => this.#ask('tenantStanding', tenant),
    expect: (tenant, generation) => this.#ask('expectTenant', tenant, generation),
    mark: () => this.#ask('markLog'),
    packEnded: (tenant, after, limit) => this.#ask('packEnded', tenant, after, limit),
    packSince: (tenant, since, to) => this.#ask('packSince', tenant, since, to),
    depart: (tenant, departure) => this.#ask('depart', tenant, departure),
    departed: (tenant, after, limit) => this.#ask('departed', tenant, after, limit),
    take: (tenant, generation, parts) => this.#ask('takeParts', tenant, generation, parts),
    arrive: (tenant, generation) => this.#ask('arrive', tenant, generation),
    settle: (tenant) => this.#ask('settle', tenant),
    eraseLeft: (tenant, id) => this.#ask('eraseLeft', tenant, id),
  };
  readonly wakeSignal?: EarlyWakeSignal;
  readonly #host: Host;
  readonly #clock: Clock | null;
  readonly #health: HealthWatch;
  #closing: Promise<void> | null = null;

  static {
    const table = { ...PLAIN_READS, ...PLAIN_WRITES };
    defineVerbs(SqliteStore.prototype, table, (store, verb, args) =>
      store.#ask(verb, ...(args as ArgsOf<typeof verb>)),
    );
  }

  constructor(host: Host, { path, clock = null, wakeSignal = null }: SqliteParts) {
    super();
    this.#host = host;
    this.#clock = clock;
    if (wakeSignal !== null) this.wakeSignal = wakeSignal;
    this.#health = new HealthWatch({
      look: () => (path === ':memory:' ? Promise.resolve(null) : lookAtDisk(path)),
      probe: () => this.#tell('probeDisk'),
      onDamage: (detail) => this.#tell('noteDamage', detail),
    });
  }

  /** Takes no writes if somebody has found damage in this file before. */
  async recallDamage(): Promise<void> {
    const damage = await this.#tell('notedDamage');
    if (damage !== null) this.#health.recall(damage);
  }

  insert(jobs: readonly NewJob[], options: InsertWithOptions): Promise<InsertWithOutcome>;
  insert(jobs: readonly NewJob[], options?: InsertOptions): Promise<InsertOutcome[]>;
  insert(
    jobs: readonly NewJob[],
    options: InsertOptions | InsertWithOptions = {},
  ): Promise<InsertOutcome[] | InsertWithOutcome> {
    const answer =
      'with' in options ? this.#insertWith(jobs, options) : this.#insert(jobs, options);
    this.wakeSignal?.asked(jobs, (this.#clock ?? systemClock).now());
    return answer;
  }

  /** Only calls without options are written together with others. */
  #insert(jobs: readonly NewJob[], options: InsertOptions): Promise<InsertOutcome[]> {
    return options.isWhole === true
      ? this.#ask('insert', jobs, options)
      : this.#ask('insert', jobs);
  }

  async #insertWith(
    jobs: readonly NewJob[],
    options: InsertWithOptions,
  ): Promise<InsertWithOutcome> {
    checkOps(options.with);
    return this.#ask('insertWith', jobs, options);
  }

  apply(moves: readonly Move[]): Promise<MoveOutcome[]>;
  apply(moves: readonly Move[], claim: ClaimRequest): Promise<MovedAndClaimed>;
  apply(moves: readonly Move[], claim?: ClaimRequest): Promise<MoveOutcome[] | MovedAndClaimed> {
    return hasRecords(moves) ? this.#applyWith(moves, claim) : this.#apply(moves, claim);
  }

  async #applyWith(
    moves: readonly Move[],
    claim?: ClaimRequest,
  ): Promise<MoveOutcome[] | MovedAndClaimed> {
    for (const { with: ops = [] } of moves) checkOps(ops);
    return this.#apply(moves, claim);
  }

  #apply(moves: readonly Move[], claim?: ClaimRequest): Promise<MoveOutcome[] | MovedAndClaimed> {
    return claim === undefined
      ? this.#ask('apply', moves)
      : this.#ask('applyAndClaim', moves, claim);
  }

  purge(cuts: Purge): Promise<Purged> {
    return this.#ask('purge', cuts);
  }

  async erase(ref: JobRef, actor: string, ops: readonly RecordOp[] = []): Promise<EraseOutcome> {
    checkOps(ops);
    return this.#ask('erase', ref, actor, ops);
  }

  async now(): Promise<Instant> {
    if (this.#closing !== null) throw closedError();
    return (this.#clock ?? systemClock).now();
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#host.close());
  }

  async #checkRows(position: RowPosition | null, limit: number): Promise<RowCheck> {
    const check = await this.#ask('checkRows', position, limit);
    if (check.damage.length > 0) this.#health.damaged(check.damage.join('; '));
    return check;
  }

  async #quickCheck(): Promise<string[]> {
    const broken = await this.#ask('quickCheck');
    if (broken.length > 0) this.#health.damaged(broken.join('; '));
    return broken;
  }

  async #vitals(): Promise<Vitals> {
    const { pending } = this.#host;
    const vitals = await this.#ask('vitals');
    return { ...vitals, gauges: { ...vitals.gauges, sqlite_writer_queue: pending } };
  }

  async #ask<Name extends Verb>(verb: Name, ...args: ArgsOf<Name>): Promise<AnswerOf<Name>> {
    if (isWrite(verb)) this.#health.refuse();
    return this.#health.hear(this.#tell(verb, ...args));
  }

  #tell<Name extends Verb>(verb: Name, ...args: ArgsOf<Name>): Promise<AnswerOf<Name>> {
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
  const store =
    mode === 'inline'
      ? new SqliteStore(InlineHost.open(setup), { path, clock })
      : new SqliteStore(await ThreadHost.open(setup), {
          path,
          clock,
          wakeSignal: new EarlyWakeSignal(),
        });
  await store.recallDamage();
  return store;
}
