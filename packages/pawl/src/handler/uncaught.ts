import { AsyncLocalStorage } from 'node:async_hooks';
import type { JobDefinition } from './define-job.ts';

/** Answers for the code that runs on behalf of one attempt, wherever it goes on. */
export interface ErrorOwner {
  /** Null where several jobs are handled together. */
  readonly jobId: string | null;
  /** Whose handler it is; null where that is not known. */
  readonly job: JobDefinition | null;
  /** Takes an error that nobody caught; false where it is too late for that. */
  uncaught(thrown: unknown): boolean;
}

/**
 * Told of an error that failed no attempt; the owner is null where it cannot be known. False: there
 * is nobody any more who would want to know.
 */
export type UncaughtListener = (thrown: unknown, owner: ErrorOwner | null) => boolean;

const owners = new AsyncLocalStorage<ErrorOwner>();
const listeners: Set<UncaughtListener> = new Set();
let isInstalled = false;

/** Runs work, and all that it leaves behind, on behalf of an attempt. */
export function ownedBy<Parameters extends unknown[], Answer>(
  owner: ErrorOwner,
  work: (...parameters: Parameters) => Answer,
  ...parameters: Parameters
): Answer {
  return owners.run(owner, work, ...parameters);
}

/** Whose handler runs here; null outside of handlers. */
export function runningJob(): JobDefinition | null {
  return owners.getStore()?.job ?? null;
}

/**
 * Runs work that is known to cause uncaught errors. `take` says which of them belong to this work;
 * others belong to the attempt.
 */
export function takingUncaught<Answer>(
  take: (thrown: unknown) => boolean,
  work: () => Answer,
): Answer {
  const outer = owners.getStore() ?? null;
  const uncaught = (thrown: unknown): boolean => take(thrown) || outer?.uncaught(thrown) === true;
  return owners.run({ jobId: outer?.jobId ?? null, job: outer?.job ?? null, uncaught }, work);
}

/**
 * Attributes uncaught errors of handlers (an unhandled rejection, a throw in a timer) to their
 * attempt, which fails; the process continues. Errors of no attempt go to the first listener.
 * Returns a function that ends this.
 */
export function catchUncaught(listener: UncaughtListener): () => void {
  if (!isInstalled) {
    process.on('uncaughtException', hear);
    process.on('unhandledRejection', hear);
    isInstalled = true;
  }
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function hear(thrown: unknown): void {
  const owner = owners.getStore() ?? null;
  if (owner?.uncaught(thrown) === true) return;
  for (const listener of listeners) {
    if (listener(thrown, owner)) return;
    listeners.delete(listener);
  }
  if (owner === null) leaveToNode(thrown);
}

/** No worker works any more, and the error is no handler's: what Node does by default. */
function leaveToNode(thrown: unknown): void {
  process.off('uncaughtException', hear);
  process.off('unhandledRejection', hear);
  isInstalled = false;
  // Others who listen have heard of it just as this did.
  if (process.listenerCount('uncaughtException') > 0) return;
  setImmediate(() => {
    throw thrown;
  });
}
