import { type Lifecycle, type Place, rowsOf, type Transition } from '../../core/lifecycle.ts';
import { phaseOfRank } from '../../core/phase.ts';
import type { Policy } from '../../core/policy.ts';
import { StoreError } from '../store-error.ts';
import type { Connection } from './connection.ts';
import { listMoves } from './guard.ts';

/** What the store itself needs of a lifecycle: its table, without defaults and bounds. */
type Table = Pick<Lifecycle, 'name' | 'version' | 'initial' | 'places' | 'transitions'>;

/** How a job is claimed from one place. */
interface ClaimRow {
  readonly transition: Transition | null;
}

/**
 * Names and numbers that rows hold instead of long text. What is found once is remembered, and
 * forgotten when a call is rolled back, since it may have been that call's own.
 */
export class Registry {
  readonly #connection: Connection;
  readonly #tenantIds = new Map<string, number>();
  readonly #tenantNames = new Map<number, string>();
  readonly #lifecycles = new Map<number, Table>();
  readonly #lifecycleIds = new Map<string, number>();
  readonly #claimRows = new Map<string, ClaimRow>();
  readonly #policies = new Map<number, Policy>();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  forget(): void {
    this.#tenantIds.clear();
    this.#tenantNames.clear();
    this.#lifecycles.clear();
    this.#lifecycleIds.clear();
    this.#claimRows.clear();
    this.#policies.clear();
  }

  /** Null: no job can be of a tenant that is not there. */
  findTenant(name: string): number | null {
    const known = this.#tenantIds.get(name);
    if (known !== undefined) return known;
    const row = this.#connection.sql('SELECT id FROM tenants WHERE name = ?').get(name);
    return row === undefined ? null : this.#rememberTenant(Number(row['id']), name);
  }

  makeTenant(name: string): number {
    const found = this.findTenant(name);
    if (found !== null) return found;
    const { lastInsertRowid } = this.#connection
      .sql('INSERT INTO tenants (name) VALUES (?)')
      .run(name);
    return this.#rememberTenant(Number(lastInsertRowid), name);
  }

  tenantName(id: number): string {
    const known = this.#tenantNames.get(id);
    if (known !== undefined) return known;
    const row = this.#connection.sql('SELECT name FROM tenants WHERE id = ?').get(id);
    if (row === undefined) throw new StoreError('refused', `no tenant has number ${id}`);
    const name = String(row['name']);
    this.#rememberTenant(id, name);
    return name;
  }

  #rememberTenant(id: number, name: string): number {
    this.#tenantIds.set(name, id);
    this.#tenantNames.set(id, name);
    return id;
  }

  lifecycleById(id: number): Table {
    const known = this.#lifecycles.get(id);
    if (known !== undefined) return known;
    const row = this.#connection.sql('SELECT definition FROM lifecycles WHERE id = ?').get(id);
    if (row === undefined) throw new StoreError('refused', `no lifecycle has number ${id}`);
    const table = JSON.parse(String(row['definition'])) as Table;
    this.#lifecycles.set(id, table);
    return table;
  }

  lifecycleId(name: string, version: number): number {
    const key = `${name} v${version}`;
    const known = this.#lifecycleIds.get(key);
    if (known !== undefined) return known;
    const row = this.#connection
      .sql('SELECT id FROM lifecycles WHERE name = ? AND version = ?')
      .get(name, version);
    if (row === undefined) {
      throw new StoreError('refused', `no lifecycle "${name}" v${version} is known to this store`);
    }
    const id = Number(row['id']);
    this.#lifecycleIds.set(key, id);
    return id;
  }

  /** The one row by which a job is claimed where it stands; null where it cannot be. */
  claimRow(lifecycle: number, state: string, rank: number): Transition | null {
    const key = `${lifecycle}/${rank}/${state}`;
    let found = this.#claimRows.get(key);
    if (found === undefined) {
      const place: Place = { state, phase: phaseOfRank(rank) };
      const table = this.lifecycleById(lifecycle) as Lifecycle;
      found = { transition: rowsOf(table, 'claim', place)[0] ?? null };
      this.#claimRows.set(key, found);
    }
    return found.transition;
  }

  policy(number: number): Policy {
    const known = this.#policies.get(number);
    if (known !== undefined) return known;
    const row = this.#connection.sql('SELECT policy FROM policies WHERE number = ?').get(number);
    if (row === undefined) throw new StoreError('refused', `no policy has number ${number}`);
    const policy = JSON.parse(String(row['policy'])) as Policy;
    this.#policies.set(number, policy);
    return policy;
  }

  /** True also of a policy that has not been met yet: whoever asks is then careful. */
  isLimited(number: number): boolean {
    const policy = this.#policies.get(number);
    return policy === undefined || (policy.limits ?? null) !== null;
  }
}

/** Makes the lifecycles known to the database and its guard; a known version never changes. */
export function registerLifecycles(connection: Connection, lifecycles: readonly Lifecycle[]): void {
  for (const lifecycle of lifecycles) {
    const { name, version, initial, places, transitions } = lifecycle;
    const definition = canonical({ name, version, initial, places, transitions });
    const known = connection
      .sql('SELECT definition FROM lifecycles WHERE name = ? AND version = ?')
      .get(name, version);
    if (known === undefined) {
      const { lastInsertRowid } = connection
        .sql('INSERT INTO lifecycles (name, version, definition) VALUES (?, ?, ?)')
        .run(name, version, definition);
      listMoves(connection.db, Number(lastInsertRowid), lifecycle);
    } else if (known['definition'] !== definition) {
      throw new StoreError(
        'refused',
        `lifecycle "${name}" v${version} is stored with another table, and jobs live by it: ` +
          `give the changed table version ${version + 1}`,
      );
    }
  }
}

/** JSON whose text does not depend on the order in which members were written. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)))
      : member,
  );
}
