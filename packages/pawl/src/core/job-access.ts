import { derivedId } from './ids.ts';

/**
 * How far a caller sees in its tenant. `tenant`: every job and every process. `own`: the jobs that
 * it has asked for, those that are shared with one of its groups, and the processes that are for
 * it. `guest`: what is for everybody.
 */
export type Reach = 'tenant' | 'own' | 'guest';

/** The parts of a caller that decide what it sees. */
export interface Requester {
  /** As jobs name the caller. */
  readonly principal: string | null;
  readonly groups: readonly string[];
  readonly reach: Reach;
}

/** `read`: it can be looked at. `all`: it can be changed and shared too. */
export type JobAccess = 'none' | 'read' | 'all';

export interface AccessedJob {
  readonly requestedBy: string | null;
  /** The groups of its access list. */
  readonly sharedWith: readonly string[];
  /** Begun by a caller without a credential, where others have one. */
  readonly isGuests?: boolean;
}

/** The one decision of who may see and change a job of the own tenant. */
export function jobAccess(
  { principal, groups, reach }: Requester,
  { requestedBy, sharedWith, isGuests = false }: AccessedJob,
): JobAccess {
  switch (reach) {
    case 'tenant':
      return 'all';
    case 'guest':
      return isGuests ? 'all' : 'none';
    case 'own':
      if (principal !== null && requestedBy === principal) return 'all';
      return groups.some((group) => sharedWith.includes(group)) ? 'read' : 'none';
  }
}

/** For whom a process is: everybody, or some groups; undefined: all who have a credential. */
export interface Audience {
  readonly groups?: readonly string[] | undefined;
  readonly isForGuests?: boolean;
}

/** Decides whether a caller may see and execute a process. */
export function mayExecute(
  { groups, reach }: Requester,
  { groups: admitted, isForGuests = false }: Audience,
): boolean {
  switch (reach) {
    case 'tenant':
      return true;
    case 'guest':
      return isForGuests;
    case 'own':
      return admitted === undefined || groups.some((group) => admitted.includes(group));
  }
}

/** The idempotency key of one caller: another caller with the same key does not find the job. */
export function ownKey({ principal, reach }: Requester, key: string): string {
  if (reach === 'tenant') return key;
  return reach === 'guest' ? `guest ${key}` : derivedId(0, `${principal}\n${key}`);
}
