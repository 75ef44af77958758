// What one database has, which limit a load reaches first, and how many databases it needs.
import { type Demand, demandOf, type Load } from './demand.ts';
import type { Measured } from './measured.ts';
import { fullestPlaced } from './shards.ts';

/** What the reader's database has; nothing here was measured. */
export interface Database {
  readonly cores: number;
  /** How much of a core is planned for. */
  readonly coresShare: number;
  /** Of the disk or the network to the standbys, whichever is less. */
  readonly walBytesPerSecond: number;
  readonly diskBytes: number;
  readonly connections: number;
  /** No more often than that the whole is to be frozen by force. */
  readonly hoursBetweenFreezes: number;
}

export interface Limit {
  readonly name: 'cores' | 'write-ahead log' | 'disk' | 'transaction numbers';
  readonly needed: number;
  readonly available: number;
  /** The sustained jobs a second at which it is reached; the load's other figures as they are. */
  readonly reachedAt: number;
}

/** Whatever is reached first comes first. */
export function limitsOf(measured: Measured, load: Load, database: Database): Limit[] {
  const demand = demandOf(measured, load);
  const { hoursBetweenFreezes, coresShare } = database;
  const freezes = hoursBetweenFreezes / demand.hoursToForcedVacuum;
  const limit = (name: Limit['name'], needed: number, available: number): Limit => ({
    name,
    needed,
    available,
    reachedAt: (load.jobsPerSecond * available) / needed,
  });
  return [
    limit('cores', demand.cores, database.cores * coresShare),
    limit('write-ahead log', demand.walBytesPerSecond, database.walBytesPerSecond),
    limit('disk', demand.diskBytes, database.diskBytes),
    limit('transaction numbers', freezes, 1),
  ].toSorted((one, other) => one.reachedAt - other.reachedAt);
}

const CELLS_MAX = 64;

export interface Cells {
  readonly count: number;
  /** The load of the fullest, where an equal share is 1. */
  readonly fullest: number;
}

/**
 * The fewest cells of which the fullest keeps within its database, the largest tenants placed by
 * hand; null where one tenant alone is more than a database carries.
 */
export function cellsFor(
  measured: Measured,
  load: Load,
  { database, tenants }: { readonly database: Database; readonly tenants: number },
): Cells | null {
  const carries = limitsOf(measured, load, database)[0]!.reachedAt;
  for (let count = 1; count <= CELLS_MAX; count++) {
    const fullest = count === 1 ? 1 : fullestPlaced(tenants, count);
    if ((load.jobsPerSecond / count) * fullest <= carries) return { count, fullest };
  }
  return null;
}

/** What a month takes of the machines, to be multiplied with one's own prices. */
export interface Bill {
  /** Of the databases, standbys included, at the planned share. */
  readonly coreHours: number;
  /** Of the databases and their standbys. */
  readonly diskTerabyteMonths: number;
  /** The log of the server, kept for as many days, and a base backup. */
  readonly archiveTerabyteMonths: number;
  /** To each standby and the archive. */
  readonly walTerabytes: number;
}

const HOURS = 730;
const DAY_S = 86_400;
const TB = 1e12;

export interface Copies {
  readonly standbys: number;
  readonly walDaysKept: number;
}

export function billOf(demand: Demand, { coresShare }: Database, copies: Copies): Bill {
  const servers = 1 + copies.standbys;
  const walPerDay = demand.walBytesPerSecond * DAY_S;
  return {
    coreHours: (demand.cores / coresShare) * HOURS * servers,
    diskTerabyteMonths: (demand.diskBytes / TB) * servers,
    archiveTerabyteMonths: (demand.diskBytes + walPerDay * copies.walDaysKept) / TB,
    walTerabytes: ((walPerDay * 30) / TB) * (copies.standbys + 1),
  };
}

export interface Prices {
  readonly coreHour: number;
  readonly diskTerabyteMonth: number;
  readonly archiveTerabyteMonth: number;
  readonly transferTerabyte: number;
}

export function priceOf(bill: Bill, prices: Prices): number {
  return (
    bill.coreHours * prices.coreHour +
    bill.diskTerabyteMonths * prices.diskTerabyteMonth +
    bill.archiveTerabyteMonths * prices.archiveTerabyteMonth +
    bill.walTerabytes * prices.transferTerabyte
  );
}
