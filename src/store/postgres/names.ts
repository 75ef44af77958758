import { type LimitKeys, limitKeysOf, type LimitPolicy } from '../../core/limits.ts';
import type { NewJob } from '../insert.ts';
import { StoreError } from '../store-error.ts';
import type { Database } from './pool.ts';
import type { Names } from './row.ts';

interface LifecycleName {
  readonly id: number;
  readonly name: string;
  readonly version: number;
}

function laneOf(job: Pick<NewJob, 'tenant' | 'queue' | 'type'>): string {
  return JSON.stringify([job.type, job.queue, job.tenant]);
}

/**
 * The small tables that rows refer to by number, remembered by this process: they only grow. New
 * tenants and lanes get a transaction of their own, so that nobody waits for another's long one.
 */
export class NameBook implements Names {
  readonly #database: Database;
  readonly #tenants = new Map<string, number>();
  readonly #tenantNames = new Map<number, string>();
  readonly #lifecycles = new Map<number, LifecycleName>();
  readonly #policies = new Map<number, LimitPolicy | null>();
  readonly #lanes = new Set<string>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** Makes sure that everything these jobs refer to is there, or refuses them. */
  async prepare(jobs: readonly NewJob[]): Promise<void> {
    await this.addTenants(jobs.map(({ tenant }) => tenant));
    for (const job of jobs) {
      if (job.places.length === 0) throw new StoreError('refused', `job ${job.id} is born nowhere`);
      if (this.#findLifecycle(job) === undefined) await this.#loadLifecycles();
      this.lifecycleId(job);
    }
    await this.#checkPolicies([...new Set(jobs.map(({ policy }) => policy))]);
    await this.#addLanes(jobs);
  }

  tenant(id: number): string {
    return this.#tenantNames.get(id)!;
  }

  tenantId(name: string): number {
    return this.#tenants.get(name)!;
  }

  /** What a prepared job is counted under. */
  limitKeys(job: NewJob): LimitKeys {
    return limitKeysOf(this.#policies.get(job.policy), job, this.tenantId(job.tenant));
  }

  /** True where jobs of that policy are counted under something, or of one document only one. */
  isLimited(policy: number): boolean {
    return (this.#policies.get(policy) ?? null) !== null;
  }

  lifecycle(id: number): LifecycleName {
    return this.#lifecycles.get(id)!;
  }

  lifecycleId(job: Pick<NewJob, 'lifecycle' | 'lifecycleVersion'>): number {
    const found = this.#findLifecycle(job);
    if (found !== undefined) return found.id;
    const name = `"${job.lifecycle}" v${job.lifecycleVersion}`;
    throw new StoreError('refused', `no lifecycle ${name} is known to this store`);
  }

  #findLifecycle(job: Pick<NewJob, 'lifecycle' | 'lifecycleVersion'>): LifecycleName | undefined {
    for (const one of this.#lifecycles.values()) {
      if (one.name === job.lifecycle && one.version === job.lifecycleVersion) return one;
    }
    return undefined;
  }

  /** A tenant's number, or null when no job of it was ever stored. */
  async findTenants(names: readonly string[]): Promise<(number | null)[]> {
    if (names.some((name) => !this.#tenants.has(name))) {
      await this.#loadTenants('SELECT id, name FROM pawl.tenants WHERE name = ANY ($1)', names);
    }
    return names.map((name) => this.#tenants.get(name) ?? null);
  }

  async addTenants(names: readonly string[]): Promise<void> {
    const missing = [...new Set(names)].filter((name) => !this.#tenants.has(name)).toSorted();
    if (missing.length === 0) return;
    const known = await this.findTenants(missing);
    const fresh = missing.filter((_, index) => known[index] === null);
    if (fresh.length === 0) return;
    await this.#database.write(
      'INSERT INTO pawl.tenants (name) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING',
      [fresh],
    );
    await this.findTenants(fresh);
  }

  /** Makes sure that rows read from the database can be put into words. */
  async learn(
    rows: readonly { readonly tenant_id: number; readonly lifecycle?: number }[],
  ): Promise<void> {
    const unknown = new Set(rows.map((row) => row.tenant_id));
    for (const id of unknown) if (this.#tenantNames.has(id)) unknown.delete(id);
    if (unknown.size > 0) {
      await this.#loadTenants('SELECT id, name FROM pawl.tenants WHERE id = ANY ($1)', [
        ...unknown,
      ]);
    }
    const isNew = ({ lifecycle }: { readonly lifecycle?: number }): boolean =>
      lifecycle !== undefined && !this.#lifecycles.has(lifecycle);
    if (rows.some(isNew)) await this.#loadLifecycles();
  }

  async learnLifecycles(
    named: readonly Pick<NewJob, 'lifecycle' | 'lifecycleVersion'>[],
  ): Promise<void> {
    if (named.some((one) => this.#findLifecycle(one) === undefined)) await this.#loadLifecycles();
  }

  async #loadTenants(sql: string, values: readonly (string | number)[]): Promise<void> {
    const rows = await this.#database.read<{ id: number; name: string }>(sql, [values]);
    for (const { id, name } of rows) {
      this.#tenants.set(name, id);
      this.#tenantNames.set(id, name);
    }
  }

  async #loadLifecycles(): Promise<void> {
    const rows = await this.#database.read<LifecycleName>(
      'SELECT id, name, version FROM pawl.lifecycles',
    );
    for (const row of rows) this.#lifecycles.set(row.id, row);
  }

  async #checkPolicies(numbers: readonly number[]): Promise<void> {
    const unknown = numbers.filter((number) => !this.#policies.has(number));
    if (unknown.length === 0) return;
    const rows = await this.#database.read<{ number: number; limits: string | null }>(
      `SELECT number, policy -> 'limits' AS limits FROM pawl.policies WHERE number = ANY ($1)`,
      [unknown],
    );
    for (const { number, limits } of rows) {
      this.#policies.set(number, limits === null ? null : (JSON.parse(limits) as LimitPolicy));
    }
    const missing = unknown.find((number) => !this.#policies.has(number));
    if (missing !== undefined) throw new StoreError('refused', `no policy has number ${missing}`);
  }

  async #addLanes(jobs: readonly NewJob[]): Promise<void> {
    const fresh = new Map<string, readonly [string, string, number]>();
    for (const job of jobs) {
      const lane = laneOf(job);
      if (this.#lanes.has(lane)) continue;
      fresh.set(lane, [job.type, job.queue, this.tenantId(job.tenant)]);
    }
    if (fresh.size === 0) return;
    const rows = [...fresh.keys()].toSorted().map((lane) => fresh.get(lane)!);
    await this.#database.write(
      `INSERT INTO pawl.lanes SELECT * FROM unnest($1::text[], $2::text[], $3::int[])
       ON CONFLICT DO NOTHING`,
      [rows.map(([type]) => type), rows.map(([, queue]) => queue), rows.map(([, , id]) => id)],
    );
    for (const lane of fresh.keys()) this.#lanes.add(lane);
  }
}
