import { type Static, Type } from 'typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { EVENT_TYPES, NOTE_TYPES } from 'pawl/internal/core/event';
import { PawlError } from 'pawl/internal/core/errors';
import type { Credential } from 'pawl/internal/contract/credential';
import { tenantTopic } from 'pawl/internal/engine/live/live-hub';
import type { LostTail, TailItem } from 'pawl/internal/store/query';
import { isStreamWanted, openStream } from './events.ts';
import { type App, credentialOf, type Services, type Resource, routes } from './services.ts';
import { frameFor } from './live-frame.ts';
import { type WindowItem, windowItem } from './log-window.ts';
import { sendPage } from './page.ts';
import { FROM_HEADERS, FROM_QUERY, PAGE_OR_STREAM, resetOf } from './page-or-stream.ts';
import { Portion } from './portion.ts';
import { problemOf } from './problem.ts';
import { reachedIds } from './reach.ts';
import { readNear } from './replica-reads.ts';
import { closed, Label, Name, Uuid } from 'pawl/internal/contract/values';
import { frameOf } from './sse-frame.ts';
import type { SseStream } from './sse.ts';
import { briefEventJson } from 'pawl/internal/contract/event-view';

const FILTER = {
  type: Type.Optional(Type.Enum([...EVENT_TYPES, ...NOTE_TYPES])),
  jobType: Type.Optional(Name),
  jobId: Type.Optional(Uuid),
  correlationId: Type.Optional(Label),
};

const Filter = closed(FILTER);
type Filter = Static<typeof Filter>;

function isWanted({ event, jobType, correlationId }: TailItem, filter: Filter): boolean {
  return (
    (filter.type === undefined || filter.type === event.type) &&
    (filter.jobType === undefined || filter.jobType === jobType) &&
    (filter.jobId === undefined || filter.jobId === event.jobId) &&
    (filter.correlationId === undefined || filter.correlationId === (correlationId ?? event.jobId))
  );
}

type From = { readonly cursor: string } | 'start' | 'end';

/** What comes next for a reader of the log, and whether there may be more at once. */
interface Stretch {
  readonly items: readonly WindowItem[];
  readonly cursor: string;
  readonly isReset: boolean;
  readonly lost?: LostTail | undefined;
  readonly hasMore: boolean;
}

/** Those of jobs that the caller reaches now. */
async function reached(
  { engine }: Services,
  credential: Credential,
  items: readonly WindowItem[],
): Promise<readonly WindowItem[]> {
  const jobIds = items.map(({ item }) => item.event.jobId);
  const ids = await reachedIds(engine, credential, jobIds);
  return ids === null ? items : items.filter(({ item }) => ids.has(item.event.jobId));
}

/** From memory where the reader is up to date, else from the store. */
async function readOn(
  services: Services,
  credential: Credential,
  { from, limit }: { from: From; limit: number },
): Promise<Stretch> {
  const { tenant } = credential;
  const recent = typeof from === 'string' ? null : services.window.after(from.cursor, limit);
  if (recent !== null && typeof from !== 'string') {
    const own = recent.filter(({ item }) => item.event.tenant === tenant);
    const items = await reached(services, credential, own);
    const cursor = recent.at(-1)?.item.cursor ?? from.cursor;
    return { items, cursor, isReset: false, hasMore: recent.length === limit };
  }
  const page = await services.engine.tail({ tenant, from, limit });
  const items = await reached(services, credential, page.items.map(windowItem));
  // The cursor of an item is one that the window knows, the end of a page is not.
  const cursor = page.items.at(-1)?.cursor ?? page.cursor;
  const { isReset, lost } = page;
  return { items, cursor, isReset, lost, hasMore: page.items.length > 0 || lost !== undefined };
}

/** Reads on and sends as much as the reader has room for; the rest is let go and read again. */
async function sendSome(
  services: Services,
  stream: SseStream,
  asked: { credential: Credential; from: From; filter: Filter; portion: Portion },
): Promise<{ cursor: string; hasMore: boolean }> {
  const { credential, from, filter, portion } = asked;
  const stretch = await readOn(services, credential, { from, limit: portion.size });
  if (stretch.isReset) {
    const data = problemOf(resetOf(stretch.lost));
    await stream.send(frameOf({ id: stretch.cursor, event: 'reset', data }));
  }
  let taken = 0;
  for (const { item, frame } of stretch.items) {
    taken += 1;
    if (!isWanted(item, filter)) continue;
    if (!stream.write(frameFor(stream, services.engine.liveTexts, frame))) break;
  }
  const isWhole = taken === stretch.items.length;
  portion.took(taken, isWhole);
  if (isWhole) return stretch;
  return { cursor: stretch.items[taken - 1]!.item.cursor, hasMore: true };
}

async function follow(
  services: Services,
  stream: SseStream,
  asked: { request: FastifyRequest; from: From; filter: Filter },
): Promise<void> {
  const credential = credentialOf(asked.request);
  const watch = await services.live.watch(tenantTopic(credential.tenant));
  try {
    let from = asked.from;
    let isTold = false;
    const portion = new Portion();
    let checkedAt = performance.now();
    while (!stream.gone.aborted) {
      watch.reset();
      const sent = await sendSome(services, stream, {
        credential,
        from,
        filter: asked.filter,
        portion,
      });
      await stream.drained();
      from = { cursor: sent.cursor };
      // Without data it is no event, but a reader that is cut off now knows where it was.
      if (!isTold) await stream.send(frameOf({ id: from.cursor }));
      isTold = true;
      if (sent.hasMore) continue;
      await watch.wait(services.streams.limits.keepaliveMs, stream.gone);
      if (performance.now() - checkedAt < services.streams.limits.keepaliveMs) continue;
      await services.recheck(asked.request);
      await stream.send(`: still here\n${frameOf({ id: from.cursor })}`);
      checkedAt = performance.now();
    }
  } finally {
    watch.close();
  }
}

async function listEvents(
  services: Services,
  exchange: { request: FastifyRequest; reply: FastifyReply },
  asked: { from: From; limit: number },
) {
  const { tenant } = credentialOf(exchange.request);
  const page = await readNear(services, exchange, (place) => place.tail({ tenant, ...asked }));
  if (!page.isReset) return page;
  if (page.lost !== undefined) throw resetOf(page.lost, { cursor: page.cursor });
  throw new PawlError('CURSOR_RESET', 'the cursor is of another log, or of events that are gone', {
    details: { cursor: page.cursor },
  });
}

const FIREHOSE_SCHEMA = {
  tags: ['Events'],
  operationId: 'followAll',
  summary: 'Everything that happens, as a list or as a live stream',
  description:
    'In an order in which nothing is skipped, from all processes. With `Accept: ' +
    'text/event-stream` a live stream of JobEvents, otherwise a page. It begins now, or at ' +
    'the start of what is kept with `from=start`, or after the `Last-Event-ID`. A cursor that is ' +
    'not of this log gets `event: reset`, and the stream continues from now. After a failover ' +
    'that lost the end of the log, `details.lost` has the numbers of the lost entries (`from`, ' +
    '`to`), and the stream continues right after what is left.',
  headers: FROM_HEADERS,
  querystring: closed({
    ...FILTER,
    from: Type.Optional(Type.Enum(['start', 'end'], { default: 'end' })),
    ...FROM_QUERY,
  }),
  response: {
    200: PAGE_OR_STREAM,
  },
  errors: ['CURSOR_RESET'],
} as const;

function followAll(app: App, services: Services): void {
  app.get(
    '/v1/events',
    { config: { isLong: true }, schema: FIREHOSE_SCHEMA },
    async (request, reply) => {
      const { cursor, lastEventId, from: start, limit = 100, ...filter } = request.query;
      const known = request.headers['last-event-id'] ?? lastEventId ?? cursor;
      if (isStreamWanted(request)) {
        const from: From = known === undefined ? (start ?? 'end') : { cursor: known };
        return openStream(services, reply, (stream) =>
          follow(services, stream, { request, from, filter }),
        );
      }
      const from: From = known === undefined ? (start ?? 'start') : { cursor: known };
      const credential = credentialOf(request);
      const page = await listEvents(services, { request, reply }, { from, limit });
      const jobIds = page.items.map(({ event }) => event.jobId);
      const ids = await reachedIds(services.engine, credential, jobIds);
      const items = page.items
        .filter((item) => isWanted(item, filter) && ids?.has(item.event.jobId) !== false)
        .map((item) => briefEventJson(item.event, item));
      return reply.code(200).send(sendPage(reply, items, page.cursor));
    },
  );
}

/** `/v1/events`: the log of a tenant, live. */
export const firehose: Resource = routes(followAll);
