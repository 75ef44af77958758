/** How far a client has written: sent back by it, so that no replica answers with less. */
export const POSITION_HEADER = 'pawl-position';

/** How old an answer may be that a replica has given, in milliseconds. */
export const STALE_HEADER = 'pawl-stale-ms';

const POSITION = /^(\w+)\.(\d+)$/;

/** The later of two; of two that cannot be compared, the one that came last. */
function later(known: string | null, told: string): string {
  const [, log, place] = POSITION.exec(known ?? '') ?? [];
  const [, other, next] = POSITION.exec(told) ?? [];
  return log !== undefined && log === other && BigInt(place!) > BigInt(next!) ? known! : told;
}

/**
 * What a client knows of its own writes. It is learnt from answers; a client that has none sends
 * none, and the primary answers.
 */
export class KnownPosition {
  #known: string | null = null;

  get headers(): Readonly<Record<string, string>> {
    return this.#known === null ? {} : { [POSITION_HEADER]: this.#known };
  }

  /** Heeds an answer; null: there was none, and nobody knows what was written. */
  heed(method: string, answer: Pick<Response, 'headers'> | null): void {
    const told = answer?.headers.get(POSITION_HEADER) ?? null;
    if (told !== null) this.#known = later(this.#known, told);
    else if (method !== 'GET') this.#known = null;
  }
}
