/** Counts what is under way for each tenant, so that none has all of a worker. */
export class TenantShares {
  readonly #max: number;
  readonly #counts: Map<string, number> = new Map();

  constructor(max: number) {
    this.#max = max;
  }

  /** False: the tenant has its share. Whoever got true calls `leave`. */
  enter(tenant: string): boolean {
    const count = this.#counts.get(tenant) ?? 0;
    if (count >= this.#max) return false;
    this.#counts.set(tenant, count + 1);
    return true;
  }

  leave(tenant: string): void {
    const count = this.#counts.get(tenant) ?? 0;
    if (count > 1) this.#counts.set(tenant, count - 1);
    else this.#counts.delete(tenant);
  }
}
