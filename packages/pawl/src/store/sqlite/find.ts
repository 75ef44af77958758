import { isUuid } from '../../core/uuid.ts';
import type { JobRef } from '../../core/job.ts';
import type { Work } from './work.ts';

type Keyed = JobRef & { readonly key?: string | undefined };

export function hasToken({ token }: { readonly token?: string | null }): boolean {
  return token !== undefined && token !== null;
}

/**
 * The keys of jobs; null for a job that is not there. A key that was brought along is believed
 * where the claim's token is shown with it, which then has to match; all others are looked up,
 * those of one tenant at once.
 */
export function findKeys<Ref extends Keyed>(
  { connection, names }: Work,
  refs: readonly Ref[],
  isSure: (ref: Ref) => boolean = () => false,
): (number | null)[] {
  const keys = refs.map((ref) => (ref.key !== undefined && isSure(ref) ? Number(ref.key) : null));
  const missing = refs.keys().filter((index) => keys[index] === null);
  for (const [name, indexes] of Map.groupBy(missing, (index) => refs[index]!.tenant)) {
    const tenant = names.findTenant(name);
    if (tenant === null) continue;
    const ids = indexes.map((index) => (isUuid(refs[index]!.id) ? refs[index]!.id : null));
    const rows = connection.lists('keys_of_ids').all(JSON.stringify(ids), tenant);
    for (const [ord, key] of rows as unknown as [number, number][]) keys[indexes[ord]!] = key;
  }
  return keys;
}
