import { PawlError } from '../core/errors.ts';
import type { Facts } from '../core/decision.ts';
import type { Job } from '../core/job.ts';
import { leaseWindowMs } from '../core/lease.ts';
import type { Lifecycle } from '../core/lifecycle.ts';
import type { Policy } from '../core/policy.ts';
import type { Store, TypeRecord } from '../store/store.ts';

/** Types that every tenant may use are registered under this name. */
export const SHARED_TENANT = '*';

/** How long a type's record may be answered from memory before the store is asked again. */
const TYPE_READS_MAX = 256;

function lifecycleKey(name: string, version: number): string {
  return `${name} v${version}`;
}

/**
 * Lifecycles, policies and types by name. Lifecycles and policies never change under their key,
 * so they are remembered for good; a type's record is, until this process or its owner changes it.
 */
export class Registry {
  readonly lifecycles: readonly Lifecycle[];
  readonly #store: Store;
  readonly #byName: ReadonlyMap<string, Lifecycle>;
  readonly #policies: Map<number, Policy> = new Map();
  readonly #types: Map<string, { record: TypeRecord; reads: number }> = new Map();

  constructor(store: Store, lifecycles: readonly Lifecycle[]) {
    this.#store = store;
    this.lifecycles = lifecycles;
    this.#byName = new Map(lifecycles.map((one) => [lifecycleKey(one.name, one.version), one]));
  }

  lifecycle(name: string, version: number): Lifecycle {
    const found = this.#byName.get(lifecycleKey(name, version));
    if (found !== undefined) return found;
    const known = [...this.#byName.keys()].join(', ');
    throw new PawlError(
      'VALIDATION_ERROR',
      `the lifecycle ${lifecycleKey(name, version)} is not known here; known are ${known}`,
    );
  }

  /** The newest version of a lifecycle, or undefined. */
  newest(name: string): Lifecycle | undefined {
    return this.lifecycles
      .filter((one) => one.name === name)
      .toSorted((one, other) => other.version - one.version)[0];
  }

  async policy(number: number): Promise<Policy> {
    const [policy] = await this.policies([number]);
    return policy!;
  }

  async policies(numbers: readonly number[]): Promise<Policy[]> {
    const missing = [...new Set(numbers)].filter((number) => !this.#policies.has(number));
    if (missing.length > 0) {
      const found = await this.#store.policies(missing);
      missing.forEach((number, index) => this.#policies.set(number, found[index]!));
    }
    return numbers.map((number) => this.#policies.get(number)!);
  }

  /** A tenant's own type, or the shared one of that name. */
  async type(tenant: string, type: string): Promise<TypeRecord> {
    const key = `${tenant}\n${type}`;
    const cached = this.#types.get(key);
    if (cached !== undefined && cached.reads++ < TYPE_READS_MAX) return cached.record;
    const own = await this.#store.types(tenant);
    const shared = tenant === SHARED_TENANT ? [] : await this.#store.types(SHARED_TENANT);
    const record = [...own, ...shared].find((one) => one.type === type);
    if (record === undefined) {
      throw new PawlError('UNKNOWN_TYPE', `the type "${type}" is not registered`);
    }
    this.#types.set(key, { record, reads: 0 });
    return record;
  }

  forgetType(type: string): void {
    for (const [key, { record }] of this.#types) {
      if (record.type === type) this.#types.delete(key);
    }
  }

  async factsOf(job: Job): Promise<Facts> {
    return {
      lifecycle: this.lifecycle(job.lifecycle, job.lifecycleVersion),
      policy: await this.policy(job.policy),
      place: { state: job.state, phase: job.phase },
      epoch: job.epoch,
      attempts: job.attempts,
      retryCount: job.retryCount,
      backoffMs: job.backoffMs,
      stage: job.stage,
      isCancelWished: job.cancel !== null,
    };
  }

  /** The longest time for which a silent owner may still be alive, over all policies met. */
  longestLeaseWindowMs(): number {
    return Math.max(0, ...[...this.#policies.values()].map((one) => leaseWindowMs(one.lease)));
  }
}
