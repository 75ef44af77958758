// Tenants over several databases: which one is whose, and how evenly that comes out.
import { createHash } from 'node:crypto';
import { SeededRandom } from 'pawl/internal/core/random';

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

/** As Pawl places tenants that nobody has placed: where the fewest are, in order of arrival. */
function fewestOf(
  databases: readonly string[],
  arrivals: readonly string[],
): ReadonlyMap<string, string> {
  return new Map(arrivals.map((tenant, index) => [tenant, databases[index % databases.length]!]));
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
  /** The same where tenants are placed as Pawl does it, in an order of chance. */
  readonly fullestByArrival: number;
  /** By arrival, with the largest tenants put by hand where there is most room. */
  readonly fullestByHand: number;
  /** The share of tenants that a database more would move. */
  readonly moved: number;
}

function fullestOf(loads: ReadonlyMap<string, number>): number {
  return Math.max(...loads.values()) * loads.size;
}

type Place = (tenant: string) => string;

/** Where jobs go: by hand for the largest, by a rule for the others. */
function loadsOn(
  databases: readonly string[],
  tenants: ReadonlyMap<string, number>,
  { place, byHand }: { readonly place: Place; readonly byHand: number },
): Map<string, number> {
  const loads = new Map(databases.map((name) => [name, 0]));
  const add = (name: string, load: number): void => void loads.set(name, loads.get(name)! + load);
  const all = [...tenants];
  for (const [tenant, load] of all.slice(byHand)) add(place(tenant), load);
  for (const [, load] of all.slice(0, byHand)) {
    const [emptiest] = [...loads].toSorted(([, one], [, other]) => one - other)[0]!;
    add(emptiest, load);
  }
  return loads;
}

function shuffled<Item>(items: readonly Item[], random: SeededRandom): Item[] {
  const all = [...items];
  for (let last = all.length - 1; last > 0; last--) {
    const other = random.below(last + 1);
    [all[last], all[other]] = [all[other]!, all[last]!];
  }
  return all;
}

interface Placing {
  /** How many of the largest tenants are placed by hand. */
  readonly byHand?: number;
  readonly seed?: number;
}

function databasesOf(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `database-${index + 1}`);
}

/** The load of the fullest, as Pawl places tenants; an equal share is 1. */
export function fullestPlaced(tenants: number, count: number, placing: Placing = {}): number {
  const { byHand = 20, seed = 1 } = placing;
  const databases = databasesOf(count);
  const loads = skewedLoads(tenants);
  const placed = fewestOf(databases, shuffled([...loads.keys()], new SeededRandom(seed)));
  return fullestOf(loadsOn(databases, loads, { place: (one) => placed.get(one)!, byHand }));
}

/** How evenly so many tenants lie on so many databases. */
export function balanceOf(tenants: number, count: number): Balance {
  const databases = databasesOf(count);
  const loads = skewedLoads(tenants);
  const more = [...databases, `database-${count + 1}`];
  const moved = [...loads.keys()].filter(
    (tenant) => databaseOf(tenant, databases) !== databaseOf(tenant, more),
  );
  const place: Place = (tenant) => databaseOf(tenant, databases);
  return {
    databases: count,
    fullest: fullestOf(loadsOn(databases, loads, { place, byHand: 0 })),
    fullestByArrival: fullestPlaced(tenants, count, { byHand: 0 }),
    fullestByHand: fullestPlaced(tenants, count),
    moved: moved.length / tenants,
  };
}
