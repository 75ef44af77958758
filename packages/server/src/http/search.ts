import { Type } from 'typebox';
import { type FOUND_BY, type FoundJson, FoundSchema } from 'pawl/internal/contract/search';
import { closed, text } from 'pawl/internal/contract/values';
import { briefJob } from 'pawl/internal/core/brief-error';
import type { Job } from 'pawl/internal/core/job';
import type { Engine } from 'pawl/internal/engine/engine';
import { SHARED_TENANT } from 'pawl/internal/engine/registry';
import { folded, SEARCH_WINDOW } from 'pawl/internal/store/search';
import { type App, credentialOf, type Services, type Resource, routes } from './services.ts';
import { jobJson } from './view.ts';

const FOUND_MAX = 50;
const NAMES_MAX = 10;
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

interface Asked {
  readonly tenant: string;
  readonly words: string;
  readonly limit: number;
}

interface Hit {
  readonly by: (typeof FOUND_BY)[number];
  readonly job: Job;
}

/** By what indexes answer: an id, a key, the name of a document or of a correlation. */
async function exactHits(engine: Engine, { tenant, words, limit }: Asked): Promise<Hit[]> {
  const [byId, byKey, byDocument, byCorrelation] = await Promise.all([
    UUID.test(words) ? engine.find([{ tenant, id: words.toLowerCase() }]) : [],
    engine.jobs({ tenant, limit, key: words }),
    engine.jobs({ tenant, limit, documentId: words }),
    engine.jobs({ tenant, limit, correlationId: words }),
  ]);
  return [
    ...byId.flatMap((job) => (job === null ? [] : [{ by: 'id' as const, job }])),
    ...byKey.jobs.map((job) => ({ by: 'key' as const, job })),
    ...byDocument.jobs.map((job) => ({ by: 'document' as const, job })),
    ...byCorrelation.jobs.map((job) => ({ by: 'correlation' as const, job })),
  ];
}

/** Those whose name has the words in it, those that begin with them first. */
function matching(names: Iterable<string>, words: string): string[] {
  const needle = folded(words);
  const found = [...new Set(names)].filter((name) => folded(name).includes(needle));
  const rank = (name: string): number => (folded(name).startsWith(needle) ? 0 : 1);
  return found
    .toSorted((one, other) => rank(one) - rank(other) || one.localeCompare(other))
    .slice(0, NAMES_MAX);
}

async function typeNames({ types }: Engine, tenant: string): Promise<string[]> {
  const lists = await Promise.all([types.list(tenant), types.list(SHARED_TENANT)]);
  return lists.flat().map(({ type }) => type);
}

function queueNames(engine: Engine, tenant: string): Promise<string[]> {
  return engine.queueNames(tenant);
}

async function scheduleNames(engine: Engine, tenant: string): Promise<string[]> {
  return (await engine.schedules.list({ tenant, limit: 500 })).map(({ name }) => name);
}

function findAll(app: App, { engine }: Services): void {
  app.get(
    '/v1/search',
    {
      schema: {
        tags: ['Jobs'],
        operationId: 'search',
        summary: 'Find jobs, types, queues and schedules by a few words',
        description:
          'Jobs by their id, idempotency key, unique key, document or correlation, over all that ' +
          'are kept (keys as long as they are valid, a day for idempotency); and by a part of ' +
          'their type, queue, state, stage, message, document, correlation, requester, metadata ' +
          `or error among the newest ${SEARCH_WINDOW.toLocaleString('en')}. Inputs and results ` +
          'are not looked at. Types, queues and schedules by a part of their name, as far as ' +
          'the credential may read them.',
        querystring: closed({
          q: text(200, 1),
          limit: Type.Optional(Type.Integer({ minimum: 1, maximum: FOUND_MAX, default: 10 })),
        }),
        response: { 200: FoundSchema },
      },
    },
    async (request): Promise<FoundJson> => {
      const { tenant, scopes } = credentialOf(request);
      const { q, limit = 10 } = request.query;
      const words = q.trim() === '' ? q : q.trim();
      const asked = { tenant, words, limit };
      const names = async (scope: string, read: typeof typeNames): Promise<string[]> =>
        scopes.has(scope) ? matching(await read(engine, tenant), words) : [];
      const [exact, page, types, queues, schedules] = await Promise.all([
        exactHits(engine, asked),
        engine.jobs({ tenant, limit, text: words }),
        names('types:read', typeNames),
        names('queues:read', queueNames),
        names('schedules:read', scheduleNames),
      ]);
      const hits = [...exact, ...page.jobs.map((job): Hit => ({ by: 'text', job }))];
      const firsts = new Map(hits.toReversed().map((hit) => [hit.job.id, hit]));
      const jobs = hits.filter((hit) => firsts.get(hit.job.id) === hit).slice(0, limit);
      return {
        jobs: jobs.map(({ by, job }) => ({ by, job: jobJson(briefJob(job)) })),
        types,
        queues,
        schedules,
        searched: { jobs: SEARCH_WINDOW, isWhole: !page.hasMore },
      };
    },
  );
}

/** `/v1/search`: one box for everything. */
export const search: Resource = routes(findAll);
