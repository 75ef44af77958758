import type { Engine } from '../engine/engine.ts';
import { withCompensations } from '../handler/compensation.ts';
import type { JobDefinition } from '../handler/define-job.ts';
import type { Worker } from './worker.ts';

/** Wakes a worker when there may be work for it, until the returned function is called. */
export function wakeFor(
  engine: Engine,
  worker: Worker,
  jobs: readonly JobDefinition[],
): () => Promise<void> {
  const own = new Set(withCompensations(jobs).map(({ type }) => type));
  return engine.onWork((types) => {
    if (types === null || types.some((type) => own.has(type))) worker.wake();
  });
}
