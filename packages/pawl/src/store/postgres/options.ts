import type { Pool } from 'pg';
import type { Clock } from '../../core/clock.ts';
import type { Lifecycle } from '../../core/lifecycle.ts';
import type { Random } from '../../core/random.ts';
import type { PoolOptions } from './open-pool.ts';

/** How the store is opened. */
export interface PostgresOptions extends PoolOptions {
  /** A pool of the caller, who also ends it. */
  readonly pool?: Pool | undefined;
  /**
   * The server itself, where `url` or `pool` leads to a pooler in transaction mode: for LISTEN and
   * for what no transaction may hold.
   */
  readonly directUrl?: string | undefined;
  /** A standby that may answer lists, histories and dashboards. */
  readonly replicaUrl?: string | undefined;
  /** How old its answers may be; 5 seconds unless told otherwise. */
  readonly replicaStaleMsMax?: number | undefined;
  readonly schema?: string | undefined;
  readonly lifecycles: readonly Lifecycle[];
  /** Tests only: the time of every statement. Left out, the database's own clock rules. */
  readonly clock?: Clock | undefined;
  /** `apply` (the default) changes the schema where needed; `check` refuses to open instead. */
  readonly migrate?: 'apply' | 'check' | undefined;
  /** A role that sees one tenant at a time, for the lists that are read for one: a second wall. */
  readonly readerRole?: string | undefined;
  /** Spreads the retries after deadlocks. */
  readonly random?: Random | undefined;
}
