import { canonicalJson } from '../../core/canonical-json.ts';
import { type LimitKeys, limitKeysOf } from '../../core/limits.ts';
import type { Phase } from '../../core/phase.ts';
import type { Policy } from '../../core/policy.ts';
import type { NewJob } from '../insert.ts';
import { StoreError } from '../store-error.ts';
import type { Database } from './database.ts';
import { NameForgotten } from './failure.ts';

export interface Lane {
  readonly number: number;
  readonly tenant: number;
  readonly queue: string;
  readonly type: string;
}

export interface LifecycleEntry {
  readonly number: number;
  readonly name: string;
  readonly version: number;
  /** A state's code is its place here, from 1. */
  readonly states: readonly string[];
}

interface LifecycleRow extends Omit<LifecycleEntry, 'states'> {
  readonly states: string;
}

type Named = Pick<LifecycleEntry, 'number' | 'name'>;
type LifecycleName = Pick<NewJob, 'lifecycle' | 'lifecycleVersion'>;

function laneKey(tenant: number, queue: string, type: string): string {
  return JSON.stringify([tenant, queue, type]);
}

/** Whoever asks for what it has not learnt has learnt it of another log. */
function known<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new NameForgotten();
  return value;
}

/**
 * What rows of one log refer to by number, remembered by this process; another log gets another
 * dictionary. New names get a transaction of their own: nobody waits for the long one of another.
 */
export class Dictionary {
  readonly #database: Database;
  readonly #tenants: Map<string, number> = new Map();
  readonly #tenantNames: Map<number, string> = new Map();
  readonly #owners: Map<string, number> = new Map();
  readonly #lanes: Map<string, number> = new Map();
  readonly #lanesByNumber: Map<number, Lane> = new Map();
  readonly #lifecycles: Map<number, LifecycleEntry> = new Map();
  readonly #lifecyclesByName: Map<string, LifecycleEntry> = new Map();
  readonly #policies: Map<number, Policy> = new Map();

  constructor(database: Database) {
    this.#database = database;
  }

  /** Makes sure that everything these jobs refer to is there, or refuses them. */
  async prepare(jobs: readonly NewJob[]): Promise<void> {
    if (jobs.every((job) => this.#isKnown(job))) return;
    await this.addTenants(jobs.map(({ tenant }) => tenant));
    for (const job of jobs) {
      if (job.places.length === 0) {
        throw new StoreError('refused', `job ${job.id} has no place to begin in`);
      }
      if (this.#findLifecycle(job) === undefined) await this.#loadLifecycles();
      this.lifecycle(job);
    }
    await this.loadPolicies([...new Set(jobs.map(({ policy }) => policy))]);
    await this.#addLanes(jobs);
  }

  #isKnown(job: NewJob): boolean {
    const tenant = this.#tenants.get(job.tenant);
    return (
      tenant !== undefined &&
      job.places.length > 0 &&
      this.#policies.has(job.policy) &&
      this.#lanes.has(laneKey(tenant, job.queue, job.type)) &&
      this.#findLifecycle(job) !== undefined
    );
  }

  tenantName(number: number): string {
    return known(this.#tenantNames.get(number));
  }

  tenant(name: string): number {
    return known(this.#tenants.get(name));
  }

  lane(job: Pick<NewJob, 'tenant' | 'queue' | 'type'>): number {
    return known(this.#lanes.get(laneKey(this.tenant(job.tenant), job.queue, job.type)));
  }

  laneOf(number: number): Lane {
    return known(this.#lanesByNumber.get(number));
  }

  policy(number: number): Policy {
    return known(this.#policies.get(number));
  }

  /** What a prepared job is counted under. */
  limitKeys(job: NewJob): LimitKeys {
    return limitKeysOf(this.#policies.get(job.policy)?.limits, job, this.tenant(job.tenant));
  }

  isLimited(policy: number): boolean {
    const of = this.#policies.get(policy)?.limits;
    return of !== undefined && (of.activePerDocument || (of.runningPerKey ?? of.rate) !== null);
  }

  lifecycle(named: LifecycleName): LifecycleEntry {
    const found = this.#findLifecycle(named);
    if (found !== undefined) return found;
    const name = `"${named.lifecycle}" v${named.lifecycleVersion}`;
    throw new StoreError('refused', `no lifecycle ${name} is known to this store`);
  }

  lifecycleOf(number: number): LifecycleEntry {
    return known(this.#lifecycles.get(number));
  }

  stateName(lifecycle: number, code: number): string {
    return this.lifecycleOf(lifecycle).states[code - 1]!;
  }

  /** Every (lifecycle, code) of a state's name, whatever the lifecycle. */
  statesNamed(name: string): { lifecycle: number; state: number }[] {
    return [...this.#lifecycles.values()].flatMap(({ number, states }) => {
      const code = states.indexOf(name) + 1;
      return code === 0 ? [] : [{ lifecycle: number, state: code }];
    });
  }

  #findLifecycle(named: LifecycleName): LifecycleEntry | undefined {
    return this.#lifecyclesByName.get(`${named.lifecycle} v${named.lifecycleVersion}`);
  }

  /** A tenant's number, or null when nothing of it was ever stored. */
  async findTenants(names: readonly string[]): Promise<(number | null)[]> {
    const missing = names.filter((name) => !this.#tenants.has(name));
    if (missing.length > 0) await this.#loadTenants('name', [...new Set(missing)]);
    return names.map((name) => this.#tenants.get(name) ?? null);
  }

  async addTenants(names: readonly string[]): Promise<void> {
    const known = await this.findTenants(names);
    const fresh = [...new Set(names.filter((_, index) => known[index] === null))].toSorted();
    if (fresh.length === 0) return;
    for (const row of await this.#database.verb<Named>('name_tenants', [fresh])) {
      this.#learnTenant(row);
    }
  }

  /** The numbers of workers' names, made where there are none. */
  async owners(names: readonly string[]): Promise<number[]> {
    const fresh = [...new Set(names.filter((name) => !this.#owners.has(name)))].toSorted();
    if (fresh.length > 0) {
      const rows = await this.#database.verb<Named>('name_owners', [fresh]);
      for (const { number, name } of rows) this.#owners.set(name, number);
    }
    return names.map((name) => this.#owners.get(name)!);
  }

  /** Makes sure that rows read from the database can be put into words. */
  async learn(
    rows: readonly {
      readonly tenant?: number;
      readonly lane?: number;
      readonly lifecycle?: number;
      readonly policy?: number;
    }[],
  ): Promise<void> {
    const lanes = new Set<number>();
    const tenants = new Set<number>();
    const policies = new Set<number>();
    let isNew = false;
    for (const { tenant, lane, lifecycle, policy } of rows) {
      // Another call may have learned the lane and still wait for the name of its tenant.
      const home = tenant ?? this.#lanesByNumber.get(lane!)?.tenant;
      if (home !== undefined && !this.#tenantNames.has(home)) tenants.add(home);
      if (lane !== undefined && !this.#lanesByNumber.has(lane)) lanes.add(lane);
      if (policy !== undefined && !this.#policies.has(policy)) policies.add(policy);
      isNew ||= lifecycle !== undefined && !this.#lifecycles.has(lifecycle);
    }
    if (lanes.size > 0) {
      const found = await this.#database.read<Lane>(
        `SELECT number, tenant, queue, type FROM ${this.#database.tables}.lanes
         WHERE number = ANY ($1)`,
        [[...lanes]],
      );
      for (const lane of found) {
        this.#lanesByNumber.set(lane.number, lane);
        if (!this.#tenantNames.has(lane.tenant)) tenants.add(lane.tenant);
      }
    }
    if (tenants.size > 0) await this.#loadTenants('number', [...tenants]);
    if (policies.size > 0) await this.loadPolicies([...policies]);
    if (isNew) await this.#loadLifecycles();
  }

  async learnLifecycles(named: readonly LifecycleName[]): Promise<void> {
    if (named.some((one) => this.#findLifecycle(one) === undefined)) await this.#loadLifecycles();
  }

  /** The number of a policy, the same for equal ones. */
  async putPolicy(policy: Policy): Promise<number> {
    const [row] = await this.#database.write<{ number: number }>(
      `SELECT ${this.#database.verbs}.put_policy($1) AS number`,
      [canonicalJson(policy)],
    );
    this.#policies.set(row!.number, policy);
    return row!.number;
  }

  async loadPolicies(numbers: readonly number[]): Promise<Policy[]> {
    const unknown = numbers.filter((number) => !this.#policies.has(number));
    if (unknown.length > 0) {
      const rows = await this.#database.read<{ number: number; policy: string }>(
        `SELECT number, policy FROM ${this.#database.tables}.policies WHERE number = ANY ($1)`,
        [unknown],
      );
      for (const { number, policy } of rows) {
        this.#policies.set(number, JSON.parse(policy) as Policy);
      }
      const missing = unknown.find((number) => !this.#policies.has(number));
      if (missing !== undefined) throw new StoreError('refused', `no policy has number ${missing}`);
    }
    return numbers.map((number) => this.#policies.get(number)!);
  }

  async #addLanes(jobs: readonly NewJob[]): Promise<void> {
    const fresh = new Map<string, readonly [number, string, string]>();
    for (const { tenant, queue, type } of jobs) {
      const key = laneKey(this.tenant(tenant), queue, type);
      if (!this.#lanes.has(key)) fresh.set(key, [this.tenant(tenant), queue, type]);
    }
    if (fresh.size === 0) return;
    const rows = [...fresh.keys()].toSorted().map((key) => fresh.get(key)!);
    const lanes = await this.#database.verb<Lane>('name_lanes', [
      rows.map(([tenant]) => tenant),
      rows.map(([, queue]) => queue),
      rows.map(([, , type]) => type),
      null,
    ]);
    for (const lane of lanes) {
      this.#lanes.set(laneKey(lane.tenant, lane.queue, lane.type), lane.number);
      this.#lanesByNumber.set(lane.number, lane);
    }
  }

  #learnTenant({ number, name }: Named): void {
    this.#tenants.set(name, number);
    this.#tenantNames.set(number, name);
  }

  async #loadTenants(by: 'name' | 'number', values: readonly (string | number)[]): Promise<void> {
    const rows = await this.#database.read<Named>(
      `SELECT number, name FROM ${this.#database.tables}.tenants WHERE ${by} = ANY ($1)`,
      [values],
    );
    for (const row of rows) this.#learnTenant(row);
  }

  async #loadLifecycles(): Promise<void> {
    const rows = await this.#database.read<LifecycleRow>(
      `SELECT number, name, version, to_json(states) AS states
       FROM ${this.#database.tables}.lifecycles`,
    );
    for (const row of rows) {
      const entry = { ...row, states: JSON.parse(row.states) as string[] };
      this.#lifecycles.set(row.number, entry);
      this.#lifecyclesByName.set(`${row.name} v${row.version}`, entry);
    }
  }
}

/** A state and a phase as the rows hold them. */
export function placeCode(
  entry: LifecycleEntry,
  place: { readonly state: string; readonly phase: Phase },
): number {
  const code = entry.states.indexOf(place.state) + 1;
  if (code > 0) return code;
  throw new StoreError(
    'refused',
    `the lifecycle "${entry.name}" v${entry.version} has no state "${place.state}"`,
  );
}
