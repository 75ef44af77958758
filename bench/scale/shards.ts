// Tenants over several databases: which one is whose, and how evenly that comes out.
import { createHash } from 'node:crypto';

function weightOf(tenant: string, database: string): bigint {
  return createHash('sha256').update(`${database}\n${tenant}`).digest().readBigUInt64BE();
}

/**
 * The database with the greatest weight for the tenant. A database more takes tenants from all
 * others and moves none between them; one fewer gives its tenants to all others.
 */
export function databaseOf(tenant: string, databases: readonly string[]): string {
  let [best, most] = [databases[0]!, -1n];
  for (const database of databases) {
    const weight = weightOf(tenant, database);
    if (weight > most) [best, most] = [database, weight];
  }
  return best;
}

/** A few tenants have most of the jobs: the n-th has 1/n as many as the first. */
export function skewedLoads(tenants: number): Map<string, number> {
  const shares = Array.from({ length: tenants }, (_, index) => 1 / (index + 1));
  const sum = shares.reduce((total, share) => total + share, 0);
  return new Map(shares.map((share, index) => [`tenant-${index + 1}`, share / sum]));
}

export interface Balance {
  readonly databases: number;
  /** The load of the fullest, where an equal share is 1. */
  readonly fullest: number;
  /** The same, with the largest tenants put by hand where there is most room. */
  readonly fullestByHand: number;
  /** The share of tenants that a database more would move. */
  readonly moved: number;
}

function fullestOf(loads: ReadonlyMap<string, number>): number {
  return Math.max(...loads.values()) * loads.size;
}

/** Where jobs go: by hand for those named, by weight for the others. */
function loadsOn(
  databases: readonly string[],
  tenants: ReadonlyMap<string, number>,
  byHand: number,
): Map<string, number> {
  const loads = new Map(databases.map((name) => [name, 0]));
  const add = (name: string, load: number): void => void loads.set(name, loads.get(name)! + load);
  const all = [...tenants];
  for (const [tenant, load] of all.slice(byHand)) add(databaseOf(tenant, databases), load);
  for (const [, load] of all.slice(0, byHand)) {
    const [emptiest] = [...loads].toSorted(([, one], [, other]) => one - other)[0]!;
    add(emptiest, load);
  }
  return loads;
}

/** How evenly so many tenants lie on so many databases. */
export function balanceOf(tenants: number, count: number, byHand = 20): Balance {
  const databases = Array.from({ length: count }, (_, index) => `database-${index + 1}`);
  const loads = skewedLoads(tenants);
  const more = [...databases, `database-${count + 1}`];
  const moved = [...loads.keys()].filter(
    (tenant) => databaseOf(tenant, databases) !== databaseOf(tenant, more),
  );
  return {
    databases: count,
    fullest: fullestOf(loadsOn(databases, loads, 0)),
    fullestByHand: fullestOf(loadsOn(databases, loads, byHand)),
    moved: moved.length / tenants,
  };
}
