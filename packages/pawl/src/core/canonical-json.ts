import { createHash } from 'node:crypto';

/** Canonical JSON: equal values give equal text, with sorted members. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) => {
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member;
    const sorted: Record<string, unknown> = Object.create(null);
    for (const name of Object.keys(member).toSorted()) {
      sorted[name] = (member as Record<string, unknown>)[name];
    }
    return sorted;
  });
}

export function payloadHash(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex');
}
