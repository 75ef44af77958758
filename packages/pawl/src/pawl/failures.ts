import type { FailureQuery, RerunResult } from '../engine/failures.ts';
import type { FailureCause, FailureFilter, Failures, ManyResult } from '../handle/failures.ts';
import { Handle } from '../handle/job-handle.ts';
import { nameOf } from './dead-letters.ts';
import type { EnginePort } from './engine-port.ts';
import { madeOf } from './made-job.ts';

const LIMIT = 50;
/** What one call runs again. */
const RERUNS_MAX = 1_000;

export function failuresOn(port: EnginePort): Failures {
  const { engine, caller } = port;
  const query = (filter: FailureFilter): FailureQuery => queryOf(caller.tenant, filter);
  return {
    causes: async (filter = {}) => {
      const causes = await engine.failures.causes(query(filter));
      return causes.map((cause) => ({
        ...cause,
        firstSeen: new Date(cause.firstSeen),
        lastSeen: new Date(cause.lastSeen),
      }));
    },
    jobs: async (cause, { limit = LIMIT, cursor } = {}) => {
      const from = cursor === undefined ? {} : { cursor };
      const page = await engine.failures.jobs(query(filterOf(cause)), { limit, ...from });
      const items = await Promise.all(page.jobs.map((job) => port.snapshot(job)));
      return { items, nextCursor: page.nextCursor };
    },
    rerun: async (asked, { limit = RERUNS_MAX, cursor, keep = false } = {}) => {
      const how = keep ? { caller, keep: port.payloads.stageCopy } : { caller };
      if ('ids' in asked) {
        const results: ManyResult[] = [];
        for (const id of new Set(asked.ids)) {
          results.push(manyOf(port, await engine.failures.rerunOne(id, how)));
        }
        return { results, hasMore: false, nextCursor: null };
      }
      const from = cursor === undefined ? {} : { cursor };
      const done = await engine.failures.rerun(query(asked), { ...how, limit, ...from });
      const { nextCursor } = done;
      const results = done.results.map((result) => manyOf(port, result));
      return { results, hasMore: nextCursor !== null, nextCursor };
    },
  };
}

/** Which failures are meant: a fingerprint, a cause that has one, or a filter. */
export function filterOf(cause: string | FailureCause | FailureFilter): FailureFilter {
  if (typeof cause === 'string') return { fingerprint: cause };
  return 'count' in cause ? { fingerprint: cause.fingerprint, type: cause.type } : cause;
}

function queryOf(tenant: string, filter: FailureFilter): FailureQuery {
  const { type, createdFrom, createdTo, ...rest } = filter;
  return {
    ...rest,
    tenant,
    ...(type === undefined ? {} : { type: nameOf(type) }),
    ...(createdFrom === undefined ? {} : { createdFrom: createdFrom.getTime() }),
    ...(createdTo === undefined ? {} : { createdTo: createdTo.getTime() }),
  };
}

function manyOf(port: EnginePort, result: RerunResult): ManyResult {
  const { id } = result;
  if (result.kind === 'refused') return { id, ok: false, error: result.error };
  return { id, ok: true, job: new Handle(port, madeOf(result)) };
}
