import { canonicalJson } from '../../core/canonical-json.ts';
import { type Lifecycle, type Place, rowsOf, type Transition } from '../../core/lifecycle.ts';
import { phaseOfRank } from '../../core/phase.ts';
import type { Policy } from '../../core/policy.ts';
import { StoreError, TenantMoved } from '../store-error.ts';
import type { Connection } from './connection.ts';

export interface Lane {
  readonly number: number;
  readonly tenant: number;
  readonly queue: string;
  readonly type: string;
}

/** What the store itself needs of a lifecycle: its table, without defaults and bounds. */
type Table = Pick<Lifecycle, 'name' | 'version' | 'initial' | 'places' | 'transitions'>;

export interface LifecycleEntry {
  readonly number: number;
  readonly name: string;
  readonly version: number;
  /** A state's code is its place here, from 1. */
  readonly states: readonly string[];
  readonly table: Table;
}

type LifecycleName = { readonly lifecycle: string; readonly lifecycleVersion: number };

/**
 * Names that rows refer to by number. What is found once is remembered, and forgotten when a call
 * is rolled back, since it may have been that call's own.
 */
export class Names {
  readonly #connection: Connection;
  readonly #tenants = new Map<string, number>();
  readonly #tenantNames = new Map<number, string>();
  /** Tenants that have moved to another database, and where to; null: not yet read. */
  #left: ReadonlyMap<string, string> | null = null;
  readonly #owners = new Map<string, number>();
  readonly #ownerNames = new Map<number, string>();
  readonly #lanes = new Map<number, Lane>();
  readonly #lanesOfType = new Map<string, Lane[]>();
  readonly #lifecycles = new Map<number, LifecycleEntry>();
  readonly #lifecyclesByName = new Map<string, LifecycleEntry>();
  readonly #claimRows = new Map<string, Transition | null>();
  readonly #policies = new Map<number, Policy>();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  forget(): void {
    this.#left = null;
    for (const known of [
      this.#tenants,
      this.#tenantNames,
      this.#owners,
      this.#ownerNames,
      this.#lanes,
      this.#lanesOfType,
      this.#lifecycles,
      this.#lifecyclesByName,
      this.#claimRows,
      this.#policies,
    ]) {
      known.clear();
    }
  }

  /** Null: nothing of this tenant was ever stored. */
  findTenant(name: string): number | null {
    return this.#find(this.#tenants, { name, statement: 'tenant_number' });
  }

  makeTenant(name: string): number {
    return this.findTenant(name) ?? this.#make(this.#tenants, { name, statement: 'add_tenant' });
  }

  /** Throws where the tenant lives in another database by now. */
  checkStays(name: string): void {
    this.#left ??= new Map(
      this.#connection
        .sql('left_tenants')
        .all()
        .map(({ name: tenant, left_for: to }) => [tenant as string, to as string]),
    );
    const to = this.#left.get(name);
    if (to === undefined) return;
    throw new TenantMoved(`tenant "${name}" has moved to cell "${to}"`);
  }

  tenantName(number: number): string {
    return this.#nameOf(this.#tenantNames, { number, statement: 'tenant_name', what: 'tenant' });
  }

  findOwner(name: string): number | null {
    return this.#find(this.#owners, { name, statement: 'owner_number' });
  }

  makeOwner(name: string): number {
    return this.findOwner(name) ?? this.#make(this.#owners, { name, statement: 'add_owner' });
  }

  ownerName(number: number): string {
    return this.#nameOf(this.#ownerNames, { number, statement: 'owner_name', what: 'owner' });
  }

  #find(
    known: Map<string, number>,
    { name, statement }: { name: string; statement: string },
  ): number | null {
    const found = known.get(name) ?? this.#connection.sql(statement).get(name)?.['number'];
    if (found === undefined) return null;
    known.set(name, found as number);
    return found as number;
  }

  #make(
    known: Map<string, number>,
    { name, statement }: { name: string; statement: string },
  ): number {
    const number = Number(this.#connection.sql(statement).run(name).lastInsertRowid);
    known.set(name, number);
    return number;
  }

  #nameOf(
    known: Map<number, string>,
    { number, statement, what }: { number: number; statement: string; what: string },
  ): string {
    const found = known.get(number) ?? this.#connection.sql(statement).get(number)?.['name'];
    if (found === undefined) throw unknown(what, number);
    known.set(number, found as string);
    return found as string;
  }

  laneOf(number: number): Lane {
    const known = this.#lanes.get(number);
    if (known !== undefined) return known;
    const row = this.#connection.sql('lane').get(number);
    if (row === undefined) throw unknown('lane', number);
    const lane = { ...row } as unknown as Lane;
    this.#lanes.set(number, lane);
    return lane;
  }

  /** Every lane of what claims name. Another process's are not missed: there is none. */
  lanesOfType(claimType: string): readonly Lane[] {
    const known = this.#lanesOfType.get(claimType);
    if (known !== undefined) return known;
    const lanes = this.#connection
      .sql('lanes_of_type')
      .all(claimType)
      .map((row) => ({ ...row }) as unknown as Lane);
    this.#lanesOfType.set(claimType, lanes);
    return lanes;
  }

  lanesOfTenant(tenant: number): readonly Lane[] {
    const rows = this.#connection.sql('lanes_of_tenant').all(tenant);
    return rows.map((row) => ({ ...row }) as unknown as Lane);
  }

  /** The lane of a type, or of its jobs that only a claim of `claimType` gets. */
  makeLane({ tenant, queue, type }: Omit<Lane, 'number'>, claimType: string = type): Lane {
    const lanes = this.lanesOfType(claimType);
    const found = lanes.find((lane) => lane.tenant === tenant && lane.queue === queue);
    if (found !== undefined) return found;
    const { lastInsertRowid } = this.#connection
      .sql('add_lane')
      .run(tenant, queue, type, claimType);
    const lane = { number: Number(lastInsertRowid), tenant, queue, type };
    this.#lanesOfType.set(claimType, [...lanes, lane]);
    return lane;
  }

  lifecycleOf(number: number): LifecycleEntry {
    const known = this.#lifecycles.get(number);
    if (known !== undefined) return known;
    this.#loadLifecycles();
    const found = this.#lifecycles.get(number);
    if (found === undefined) throw unknown('lifecycle', number);
    return found;
  }

  lifecycle({ lifecycle: name, lifecycleVersion: version }: LifecycleName): LifecycleEntry {
    const key = `${name} v${version}`;
    if (!this.#lifecyclesByName.has(key)) this.#loadLifecycles();
    const found = this.#lifecyclesByName.get(key);
    if (found !== undefined) return found;
    throw new StoreError('refused', `no lifecycle "${name}" v${version} is known to this store`);
  }

  /** Every (lifecycle, code) of a state's name, whatever the lifecycle. */
  statesNamed(name: string): { lifecycle: number; state: number }[] {
    this.#loadLifecycles();
    return [...this.#lifecycles.values()].flatMap(({ number, states }) => {
      const state = states.indexOf(name) + 1;
      return state === 0 ? [] : [{ lifecycle: number, state }];
    });
  }

  #loadLifecycles(): void {
    for (const row of this.#connection.sql('lifecycles').all()) {
      const entry: LifecycleEntry = {
        number: row['number'] as number,
        name: row['name'] as string,
        version: row['version'] as number,
        states: JSON.parse(row['states'] as string) as string[],
        table: JSON.parse(row['definition'] as string) as Table,
      };
      this.#lifecycles.set(entry.number, entry);
      this.#lifecyclesByName.set(`${entry.name} v${entry.version}`, entry);
    }
  }

  /** The one row by which a job is claimed where it stands; null where it cannot be. */
  claimRow(lifecycle: number, state: number, rank: number): Transition | null {
    const key = `${lifecycle}/${state}/${rank}`;
    let found = this.#claimRows.get(key);
    if (found === undefined) {
      const { states, table } = this.lifecycleOf(lifecycle);
      const place: Place = { state: states[state - 1]!, phase: phaseOfRank(rank) };
      found = rowsOf(table as Lifecycle, 'claim', place)[0] ?? null;
      this.#claimRows.set(key, found);
    }
    return found;
  }

  policy(number: number): Policy {
    const known = this.#policies.get(number);
    if (known !== undefined) return known;
    const row = this.#connection.sql('policy').get(number);
    if (row === undefined) throw unknown('policy', number);
    const policy = JSON.parse(String(row['policy'])) as Policy;
    this.#policies.set(number, policy);
    return policy;
  }

  /** The number of a policy; one that is equal to an earlier one has its number. */
  makePolicy(policy: Policy): number {
    const text = canonicalJson(policy);
    const known = this.#connection.sql('policy_number').get(text);
    if (known !== undefined) return Number(known['number']);
    return Number(this.#connection.sql('add_policy').run(text).lastInsertRowid);
  }

  /** True also of a policy that has not been met yet: whoever asks is then careful. */
  isLimited(number: number): boolean {
    const policy = this.#policies.get(number);
    return policy === undefined || (policy.limits ?? null) !== null;
  }
}

function unknown(what: string, number: number): StoreError {
  return new StoreError('refused', `no ${what} has number ${number}`);
}

/** A state as the rows hold it. */
export function stateCode({ name, version, states }: LifecycleEntry, state: string): number {
  const code = states.indexOf(state) + 1;
  if (code > 0) return code;
  throw new StoreError('refused', `the lifecycle "${name}" v${version} has no state "${state}"`);
}
