import type {
  DeadLetterFilter,
  DeadLetters,
  FailureCause,
  FailureFilter,
  Failures,
  ManyResult,
} from '../handle/failures.ts';
import { Handle } from '../handle/job-handle.ts';
import type { JobType } from '../handler/job-type.ts';
import type { FailureFilterJson } from './api-client.ts';
import { errorOf } from './connection.ts';
import type { HttpPort } from './http-port.ts';
import type { ItemResult } from './operations-client.ts';
import { causeOf, letterSnapshotOf } from './snapshots.ts';

/** As many causes as a page can have. */
const CAUSES = 500;

export function failuresOn(port: HttpPort): Failures {
  const { api } = port;
  return {
    causes: async (filter = {}) => {
      const causes: FailureCause[] = [];
      let cursor: string | null = null;
      do {
        const from: { cursor?: string } = cursor === null ? {} : { cursor };
        const page = await api.failures({ ...filterJson(filter), limit: CAUSES, ...from });
        causes.push(...page.items.map(causeOf));
        cursor = page.nextCursor;
      } while (cursor !== null);
      return causes;
    },
    jobs: (cause, paging = {}) =>
      port.page('/v1/failures/jobs', { ...filterJson(filterOf(cause)), ...paging }),
    rerun: async (asked, paging = {}) => {
      const wish =
        'ids' in asked ? { ids: [...new Set(asked.ids)] } : { filter: wordsOf(filterJson(asked)) };
      const done = await api.operations.rerunMany({ ...wish, ...paging });
      return { ...done, results: done.results.map((one) => manyOf(port, one)) };
    },
  };
}

export function deadLettersOn(port: HttpPort): DeadLetters {
  const { api } = port;
  return {
    list: async (filter = {}) => {
      const { items, nextCursor } = await api.deadLetters(letterQuery(filter));
      return { items: items.map(letterSnapshotOf), nextCursor };
    },
    get: async (id) => letterSnapshotOf(await api.deadLetter(id)),
    replay: async (id, { input } = {}) => {
      const job = await api.replay(id, input === undefined ? {} : { input });
      return new Handle(port, { id: job.id, type: job.type });
    },
    replayMany: async (asked) => {
      const { perSecond } = asked;
      const wish =
        'ids' in asked
          ? { ids: [...new Set(asked.ids)] }
          : { filter: wordsOf(letterQuery(asked.filter)) };
      const spread = perSecond === undefined ? wish : { ...wish, perSecond };
      const done = await api.operations.replayMany(spread);
      const results = done.results.map((one) => manyOf(port, one));
      return { results, hasMore: done.hasMore, nextCursor: null };
    },
  };
}

function manyOf(port: HttpPort, { id, status, job, error }: ItemResult): ManyResult {
  if (job === undefined) return { id, ok: false, error: errorOf(status, error) };
  const outcome = status === 202 ? 'created' : 'replayed';
  return { id, ok: true, job: new Handle(port, { id: job.id, type: job.type, outcome }) };
}

/** Which failures are meant: a fingerprint, a cause that has one, or a filter. */
function filterOf(cause: string | FailureCause | FailureFilter): FailureFilter {
  if (typeof cause === 'string') return { fingerprint: cause };
  return 'count' in cause ? { fingerprint: cause.fingerprint, type: cause.type } : cause;
}

function filterJson({ type, createdFrom, createdTo, ...rest }: FailureFilter): FailureFilterJson {
  return {
    ...rest,
    ...(type === undefined ? {} : { type: nameOf(type) }),
    ...(createdFrom === undefined ? {} : { createdFrom: createdFrom.toISOString() }),
    ...(createdTo === undefined ? {} : { createdTo: createdTo.toISOString() }),
  };
}

function letterQuery<Filter extends DeadLetterFilter>({
  type,
  ...rest
}: Filter): Omit<Filter, 'type'> & { type?: string } {
  return type === undefined ? rest : { ...rest, type: nameOf(type) };
}

function wordsOf(filter: object): Readonly<Record<string, string>> {
  return filter as Readonly<Record<string, string>>;
}

function nameOf(type: JobType | string): string {
  return typeof type === 'string' ? type : type.type;
}
