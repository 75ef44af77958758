import type { Fault } from './errors.ts';
import type { Job } from './job.ts';

/** The code that a worker runs jobs of a type with, by the name that its author gave it. */
export interface Revision {
  readonly name: string;
  /** Whether only workers of the same revision may go on with what it has begun. */
  readonly pin: boolean;
}

/** What a worker offers, by type; a type that is left out has no revision. */
export type Revisions = Readonly<Record<string, Revision>>;

/** The same characters as in the name of a type; `claimTypeOf` relies on there being no "@". */
export const REVISION_PATTERN = '^[A-Za-z0-9][A-Za-z0-9._:/-]{0,63}$';
export const REVISION_FAULT = 'must be 1 to 64 letters, digits or . _ : / -';

const NAME = new RegExp(REVISION_PATTERN);

export function checkRevision(pointer: string, name: unknown): Fault[] {
  if (typeof name === 'string' && NAME.test(name)) return [];
  return [{ pointer, message: REVISION_FAULT }];
}

/** The revision that is offered for a type; names such as "constructor" are types too. */
export function revisionFor(revisions: Revisions | undefined, type: string): Revision | null {
  return revisions !== undefined && Object.hasOwn(revisions, type) ? revisions[type]! : null;
}

/**
 * What a claim has to name to get a job: its type or, once it is pinned, its type and revision. So
 * a pinned job is in a lane of its own, and claims that do not offer its revision never meet it.
 */
export function claimTypeOf({
  type,
  revision,
  isPinned,
}: Pick<Job, 'type' | 'revision' | 'isPinned'>): string {
  return isPinned ? `${type}@${revision}` : type;
}

/** Everything that a claim of these types names. */
export function claimTypesOf(
  types: readonly string[],
  revisions: Revisions | undefined,
): readonly string[] {
  if (revisions === undefined) return types;
  const pinned = types.flatMap((type) => {
    const revision = revisionFor(revisions, type)?.name ?? null;
    return revision === null ? [] : [claimTypeOf({ type, revision, isPinned: true })];
  });
  return [...types, ...pinned];
}

/** What a claim that offers this revision leaves a job with: the first one that does is kept. */
export function revisionAfter(
  job: Pick<Job, 'revision' | 'isPinned'>,
  offered: Revision | null,
): Pick<Job, 'revision' | 'isPinned'> {
  const { revision, isPinned } = job;
  if (revision !== null || offered === null) return { revision, isPinned };
  return { revision: offered.name, isPinned: offered.pin };
}
