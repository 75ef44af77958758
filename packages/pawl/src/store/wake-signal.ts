/**
 * Carries the news that there may be work from one process to another. Whoever does not hear it
 * finds the work by looking, a little later: so it may be lost, and nobody waits for it.
 */
export interface StoreWakeSignal {
  /** It tells of new jobs by itself, in this process as well, so that nobody else need do it. */
  readonly tellsOfBirths?: boolean;
  /** Why nothing is heard of other processes, in a sentence; null or left out: it is. */
  readonly silence?: string | null;
  /** Jobs of these types may be claimable now; null for jobs of any. */
  wake(types: readonly string[] | null): void;
  /** Hears what others signal, until the returned function is called. */
  listen(onWake: (types: readonly string[] | null) => void): () => Promise<void>;
}
