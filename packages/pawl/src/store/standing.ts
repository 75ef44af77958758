import type { Instant } from '../core/clock.ts';
import type { Job, JobRef } from '../core/job.ts';

/** What a job that nobody owns waits for; null where it is in flight, held or has ended. */
export const WAITS = [
  'claim',
  'time',
  'requeue',
  'slot',
  'userToken',
  'organisationToken',
] as const;

/** In the order of the gates' numbers. */
export type Wait = (typeof WAITS)[number];

export interface Holder {
  readonly id: string;
  /** Null: let in, but not claimed yet. */
  readonly owner: string | null;
}

/** Where a job stands, and who or what is before it. */
export interface Standing {
  readonly job: Job;
  /** The database's time of this answer. */
  readonly at: Instant;
  readonly wait: Wait | null;
  /** The gate's key, without the store's own part of it; null where it waits at none. */
  readonly key: string | null;
  /** Jobs before it in its lane or, at a gate, in its line: up to AHEAD_MAX are counted. */
  readonly ahead: number;
  /** Who has the slots that it waits for, the longest there first: up to HOLDERS_MAX. */
  readonly holders: readonly Holder[];
  /** When the next token of its line is due, as far as that is known. */
  readonly nextTokenAt: Instant | null;
  /** Turns of its type, by whomever, that have ended in the last RECENT_MS. */
  readonly endedLately: number;
  /** Owned jobs of its queue and of its type. */
  readonly owned: { readonly queue: number; readonly type: number };
}

export const RECENT_MS = 60_000;
export const AHEAD_MAX = 10_000;
export const HOLDERS_MAX = 10;

/** What a key says to people: the gate and the store's name of the tenant are left out. */
export function keyForPeople(key: string, { type, tenant }: Pick<Job, 'type' | 'tenant'>): string {
  const rest = key.slice(key.indexOf(` ${type}`) + type.length + 2);
  return rest === '' ? `tenant ${tenant}` : rest;
}

export interface StandingVerbs {
  standing(ref: JobRef): Promise<Standing | null>;
}
