import type { Artifacts } from 'pawl/internal/engine/artifacts';
import { largeSource, valuesIn } from 'pawl/internal/engine/by-reference';
import type { EngineLog } from 'pawl/internal/engine/context';
import type { Engine } from 'pawl/internal/engine/engine';
import { SHARED_TENANT } from 'pawl/internal/engine/registry';
import { withCompensations } from 'pawl/internal/handler/compensation';
import { type JobDefinition, typeDefinitionOf } from 'pawl/internal/handler/define-job';
import { openWorker } from 'pawl/internal/worker/open-worker';
import { wakeFor } from 'pawl/internal/worker/wake';
import type { WorkerWatch } from 'pawl/internal/worker/watch';

/** The worker of a platform and what belongs to it. */
export interface PlatformWorker {
  readonly types: readonly string[];
  stop(): Promise<void>;
}

interface PlatformWorkerOptions {
  readonly log: EngineLog;
  readonly artifacts: Artifacts;
  readonly isWorking: boolean;
  readonly watch: WorkerWatch | null;
}

/** Makes the jobs known to every tenant, and runs them in this process if that is its role. */
export async function startPlatformWorker(
  engine: Engine,
  jobs: readonly JobDefinition[],
  { log, artifacts, isWorking, watch }: PlatformWorkerOptions,
): Promise<PlatformWorker> {
  for (const job of withCompensations(jobs)) {
    await engine.putType({ tenant: SHARED_TENANT, type: job.type }, typeDefinitionOf(job));
  }
  if (jobs.length === 0 || !isWorking) return { types: [], stop: async () => undefined };
  const worker = openWorker({
    source: largeSource(engine, valuesIn(artifacts)),
    artifacts,
    jobs,
    log,
    watch,
  });
  const stopWaking = wakeFor(engine, worker, jobs);
  worker.start();
  return {
    types: jobs.map(({ type }) => type),
    stop: async () => {
      await worker.drain();
      await stopWaking();
    },
  };
}
