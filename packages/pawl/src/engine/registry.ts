import { SHARED_TENANT } from '../core/shared-tenant.ts';
import { canonicalJson } from '../core/canonical-json.ts';
import type { Clock, Instant } from '../core/clock.ts';
import { PawlError } from '../core/errors.ts';
import type { Facts } from '../core/decision.ts';
import type { Job } from '../core/job.ts';
import type { Lifecycle } from '../core/lifecycle.ts';
import type { Policy } from '../core/policy.ts';
import type { JobTypes } from '../records/job-types.ts';
import type { Records } from '../records/records.ts';
import type { Store } from '../store/store.ts';
import type { TypeRecord } from '../records/job-types.ts';
import { unknownType } from './refusals.ts';

export { SHARED_TENANT };

/** So soon does a process see what another one has changed about a type. */
const TYPE_KEPT_MS = 1_000;

/** So many policies of single jobs are remembered by what they say. */
const OWN_POLICIES_MAX = 1_000;

function lifecycleKey(name: string, version: number): string {
  return `${name} v${version}`;
}

/** A type's record as it was last read, `known` once the answer is there. */
interface Read {
  readonly record: Promise<TypeRecord>;
  readonly readAt: Instant;
  /** As it was read before. */
  readonly former: TypeRecord | null;
  known: TypeRecord | null;
}

/**
 * Lifecycles, policies and types by name. Lifecycles and policies never change under their key,
 * so they are remembered for good; a type's record is for a while, as others may change it.
 */
export class Registry {
  readonly lifecycles: readonly Lifecycle[];
  readonly #store: Store;
  readonly #types: JobTypes;
  readonly #byName: ReadonlyMap<string, Lifecycle>;
  readonly #policies: Map<number, Policy> = new Map();
  readonly #reads: Map<string, Read> = new Map();
  readonly #numbers: Map<string, Promise<number>> = new Map();
  readonly #clock: Clock;

  constructor(
    parts: { store: Store; records: Pick<Records, 'types'>; clock: Clock },
    lifecycles: readonly Lifecycle[],
  ) {
    this.#store = parts.store;
    this.#types = parts.records.types;
    this.#clock = parts.clock;
    this.lifecycles = lifecycles;
    this.#byName = new Map(lifecycles.map((one) => [lifecycleKey(one.name, one.version), one]));
  }

  lifecycle(name: string, version: number): Lifecycle {
    const found = this.#byName.get(lifecycleKey(name, version));
    if (found !== undefined) return found;
    const known = [...this.#byName.keys()].join(', ');
    throw new PawlError(
      'VALIDATION_ERROR',
      `the lifecycle ${lifecycleKey(name, version)} is unknown; known are ${known}`,
    );
  }

  /** The newest version of a lifecycle, or undefined. */
  newest(name: string): Lifecycle | undefined {
    return this.lifecycles
      .filter((one) => one.name === name)
      .toSorted((one, other) => other.version - one.version)[0];
  }

  /** After a failover what was read may not be there any more. */
  forget(): void {
    this.#policies.clear();
    this.#reads.clear();
    this.#numbers.clear();
  }

  async policy(number: number): Promise<Policy> {
    const [policy] = await this.policies([number]);
    return policy!;
  }

  async policies(numbers: readonly number[]): Promise<Policy[]> {
    if (numbers.some((number) => !this.#policies.has(number))) {
      const missing = [...new Set(numbers)].filter((number) => !this.#policies.has(number));
      const found = await this.#store.policies(missing);
      missing.forEach((number, index) => this.#policies.set(number, found[index]!));
    }
    return numbers.map((number) => this.#policies.get(number)!);
  }

  /** The number of a policy of a single job's own; asked for once by each process. */
  numberOf(policy: Policy): Promise<number> {
    const text = canonicalJson(policy);
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    if (this.#numbers.size >= OWN_POLICIES_MAX) this.#numbers.clear();
    const number = this.#store.putPolicy(policy);
    this.#numbers.set(text, number);
    number.then(
      (given) => this.#policies.set(given, policy),
      () => this.#numbers.delete(text),
    );
    return number;
  }

  /** A tenant's own type, or the shared one of that name. Callers at once share one look-up. */
  type(tenant: string, type: string): Promise<TypeRecord> {
    const key = `${tenant}\n${type}`;
    const cached = this.#recent(key);
    if (cached !== null) return cached.record;
    const record = this.#findType(tenant, type);
    const last = this.#reads.get(key);
    const former = last?.known ?? last?.former ?? null;
    const read: Read = { record, readAt: this.#clock.now(), former, known: null };
    this.#reads.set(key, read);
    record.then(
      (known) => (read.known = known),
      // What is not there now may be there the next time.
      () => this.#reads.delete(key),
    );
    return record;
  }

  /** A type's record and its policy, where nobody has to be asked for them. */
  known(tenant: string, type: string): { record: TypeRecord; policy: Policy } | null {
    return this.#withPolicy(this.#recent(`${tenant}\n${type}`)?.known ?? null);
  }

  /**
   * The same, also as it was a while ago, and asks for news on the way: for a caller that may hold
   * the very connection which an answer would need.
   */
  knownOnce(tenant: string, type: string): { record: TypeRecord; policy: Policy } | null {
    const read = this.#reads.get(`${tenant}\n${type}`);
    const former = read?.known ?? read?.former ?? null;
    if (former === null) return null;
    this.type(tenant, type).catch(() => undefined);
    return this.#withPolicy(former);
  }

  #withPolicy(record: TypeRecord | null): { record: TypeRecord; policy: Policy } | null {
    const policy = record === null ? undefined : this.#policies.get(record.policy);
    return policy === undefined ? null : { record: record!, policy };
  }

  #recent(key: string): Read | null {
    const read = this.#reads.get(key);
    return read !== undefined && this.#clock.now() - read.readAt < TYPE_KEPT_MS ? read : null;
  }

  async #findType(tenant: string, type: string): Promise<TypeRecord> {
    const [own, shared] = await this.#types.read([
      { tenant, type },
      { tenant: SHARED_TENANT, type },
    ]);
    const record = own ?? shared;
    if (record) return record;
    throw unknownType(type);
  }

  forgetType(type: string): void {
    for (const key of this.#reads.keys()) {
      if (key.endsWith(`\n${type}`)) this.#reads.delete(key);
    }
  }

  /** Of a job whose policy has been read before. */
  factsOf(job: Job): Facts {
    return {
      type: job.type,
      lifecycle: this.lifecycle(job.lifecycle, job.lifecycleVersion),
      policy: this.#policies.get(job.policy)!,
      place: { state: job.state, phase: job.phase },
      epoch: job.epoch,
      attempts: job.attempts,
      retryCount: job.retryCount,
      backoffMs: job.backoffMs,
      stage: job.stage,
      isCancelWished: job.cancel !== null,
    };
  }

  /** Of a policy that has been read before: whether its jobs wait for one another. */
  isLimited(policy: number): boolean {
    return this.#policies.get(policy)?.limits !== undefined;
  }
}
