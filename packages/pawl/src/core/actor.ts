/** The actor of an event. */
export const SYSTEM_ACTOR = 'system';

/** Between a worker's name and the credential it works with; names do not contain it. */
const WITH = '@';

const WORKER = 'worker:';

/**
 * The owner of a job, as stores compare it: a worker, and the credential that it showed, where
 * credentials are asked for. The same name under another credential is another owner.
 */
export function ownerName(worker: string, credential: string | null): string {
  return credential === null ? worker : `${worker}${WITH}${credential}`;
}

/** The worker's name alone, as people and the API are shown it. */
export function workerIn(owner: string): string {
  const [worker = ''] = owner.split(WITH, 1);
  return worker;
}

export function workerActor(owner: string): string {
  return `${WORKER}${owner}`;
}

/** An actor as it is shown: of a worker its name alone. */
export function shownActor(actor: string): string {
  return actor.startsWith(WORKER) ? workerIn(actor) : actor;
}

/** The name of the worker that did something; null where it was no worker. */
export function workerOfActor(actor: string): string | null {
  return actor.startsWith(WORKER) ? workerIn(actor.slice(WORKER.length)) : null;
}

/** The name under which a credential acts, for the history. */
export function apiActor(principal: string | null): string {
  return principal === null ? 'api' : `api:${principal}`;
}
