import { type Artifacts, type Engine, largeSink, wholeResult } from 'pawl/plugin';
import type { JobAccess } from './small/job-access.ts';

/** This platform, for its jobs that have to do with other jobs. */
export function jobAccess(engine: Engine, artifacts: Artifacts): JobAccess {
  const sink = largeSink(engine, artifacts);
  return {
    enqueue: async (request, caller) => {
      const [result] = await sink.enqueue([request], { caller });
      if (result!.kind === 'refused') throw result!.error;
      return result!.job;
    },
    read: (refs) => (refs.length === 0 ? Promise.resolve([]) : engine.find(refs)),
    resultOf: async (job) => JSON.parse(await wholeResult(artifacts, job)) as unknown,
  };
}
