/** A job in the hands of an owner. */
export interface OwnedJob {
  readonly owner: string;
  readonly tenant: string;
  readonly id: string;
}

/** So many of an owner's jobs are named. */
export const OWNED_MAX = 1_000;
