/** Who did something, as events name it. */
export const SYSTEM_ACTOR = 'system';

export function workerActor(owner: string): string {
  return `worker:${owner}`;
}

/** The name under which a credential acts, for the history. */
export function apiActor(principal: string | null): string {
  return principal === null ? 'api' : `api:${principal}`;
}
