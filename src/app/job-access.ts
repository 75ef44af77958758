import type { Artifacts } from '../engine/artifacts.ts';
import { largeSink, wholeResult } from '../engine/by-reference.ts';
import type { Engine } from '../engine/engine.ts';
import type { JobAccess } from '../studio/small/job-access.ts';

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
