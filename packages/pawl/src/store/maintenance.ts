import type { Instant } from '../core/clock.ts';
import type { JobRef } from '../core/job.ts';
import type { StoreHealth } from './health.ts';
import type { RecordKind } from './records.ts';
import type { ReplicaFigures } from './replica.ts';

/** How large a table is, and how much of it is waste; null where the database does not say. */
export interface TableFigures {
  readonly name: string;
  readonly bytes: number;
  readonly rows: number | null;
  readonly deadRows: number | null;
}

/** Somebody because of whom dead rows cannot be removed. */
export interface Holder {
  readonly kind: 'session' | 'prepared transaction' | 'replication slot' | 'standby';
  readonly name: string;
  /** Since when; null where the server does not know. */
  readonly ms: number | null;
  /** How many transactions ago; null where it holds none back at the moment. */
  readonly transactions: number | null;
}

/** When the log came to another timeline: a standby took over, or a backup was restored. */
export interface Failover {
  readonly timeline: string;
  readonly at: Instant;
  /** The highest number of the log that was there. */
  readonly lastNumber: number;
  /** Up to which number readers had been told of what is lost; null where nobody was. */
  readonly lostTo: number | null;
}

/** What only a database server has. */
export interface ServerFigures {
  /** The latest, the last one first. */
  readonly failovers: readonly Failover[];
  /** How many servers follow this one, and for how many of them a commit waits. */
  readonly standbys: { readonly all: number; readonly synchronous: number };
  /** The oldest of each kind. */
  readonly holders: readonly Holder[];
  /** Who keeps readers of the log waiting. */
  readonly markHolder: Pick<Holder, 'name' | 'ms'> | null;
  /** How far back the oldest row lies that is not frozen, and from where on freezing is forced. */
  readonly ages: readonly {
    readonly kind: string;
    readonly age: number;
    readonly forcedAt: number;
  }[];
  /** Triggers that keep everybody but the verbs from writing, and are not there or switched off. */
  readonly missingGuards: readonly {
    readonly table: string;
    readonly guard: string;
    readonly isOff: boolean;
  }[];
}

/** How a server is reached. */
export interface ConnectionFigures {
  /** True behind a pooler that gives two statements to two sessions. */
  readonly isPooled: boolean;
  /** Whether there is an address of the server itself. */
  readonly isDirect: boolean;
  /** Whether news of other processes was heard just now. */
  readonly hearsNews: boolean;
  readonly user: string;
  /** What ends a statement and an idle transaction, in milliseconds; 0: nothing. */
  readonly statementMs: number;
  readonly idleMs: number;
}

/** What a database tells of itself to those who look after it. */
export interface StoreFigures {
  readonly engine: 'memory' | 'sqlite' | 'postgres';
  readonly version: string;
  /** Settings that durability or speed depend on, by the database's own names. */
  readonly settings: Readonly<Record<string, string>>;
  readonly tables: readonly TableFigures[];
  /** Bytes of the file that hold nothing. */
  readonly freeBytes: number | null;
  /** Bytes of the write-ahead log that are not yet in the file. */
  readonly logBytes: number | null;
  /** What was committed and is gone, in words, where the database knows of it. */
  readonly lost: string | null;
  /** For how many days to come there are partitions; null where there are none. */
  readonly daysAhead: number | null;
  readonly server: ServerFigures | null;
  /** The server that may answer reads; null where there is none. */
  readonly replica: ReplicaFigures | null;
  /** Null where there is no server. */
  readonly connection: ConnectionFigures | null;
  readonly connections: { readonly used: number; readonly max: number } | null;
}

/** What only the database can tell of itself, for those who watch. */
export interface Vitals {
  /** For how long the oldest write has waited that readers of the log cannot see yet. */
  readonly tailLagMs: number;
  /** By name; which ones there are is the store's affair. */
  readonly gauges: Readonly<Record<string, number>>;
}

/** How many jobs of a type ended badly and were not attended to. */
export interface FailedType {
  readonly type: string;
  readonly count: number;
}

/** How far a check of all rows has come. */
export interface RowPosition {
  readonly table: string;
  readonly after: readonly number[];
}

/** A slice of that check; `next` is null after the last row of the last table. */
export interface RowCheck {
  readonly rows: number;
  /** Which rows are not what was written, in words. */
  readonly damage: readonly string[];
  readonly next: RowPosition | null;
}

/** For those who look after a database: nothing else depends on it. */
export interface MaintenanceStore {
  /** Everyone who has, or had, a job here. */
  tenants(): Promise<string[]>;
  figures(): Promise<StoreFigures>;
  vitals(): Promise<Vitals>;
  /** Whether writes are taken; while they are not, each look tries one. */
  health(): Promise<StoreHealth>;
  /** Some jobs of which there are events, but no row. */
  strays(limit: number): Promise<JobRef[]>;
  /**
   * Counts jobs of all tenants that failed or are dead, were not run again and have no record of
   * this kind: so many at most.
   */
  failedTypes(max: number, without: RecordKind): Promise<FailedType[]>;
  /**
   * Compares so many rows with their checksums at most, from a position on (null: the first). Once
   * one does not match, the store takes no more writes. No rows where the database does it itself.
   */
  checkRows(position: RowPosition | null, limit: number): Promise<RowCheck>;
  /** What the database finds wrong with its own pages, or with rows that belong together. */
  quickCheck(): Promise<string[]>;
}
