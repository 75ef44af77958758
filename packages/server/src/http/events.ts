import type { FastifyReply, FastifyRequest } from 'fastify';
import { PawlError } from 'pawl/internal/core/errors';
import type { Job, JobRef } from 'pawl/internal/core/job';
import { isTerminal } from 'pawl/internal/core/phase';
import type { JobCursors } from 'pawl/internal/engine/live/job-cursor';
import { type Position, type Reading, START } from 'pawl/internal/engine/live/job-cursor';
import { jobTopic } from 'pawl/internal/engine/live/live-hub';
import { type App, credentialOf, type Services, refOf, type Resource, routes } from './services.ts';
import { lastNote } from './last-note.ts';
import { type EventFrame, eventFrame, frameFor } from './live-frame.ts';
import { sendPage } from './page.ts';
import { FROM_HEADERS, FROM_QUERY, PAGE_OR_STREAM, RESET } from './page-or-stream.ts';
import { Portion } from './portion.ts';
import { problemOf } from './problem.ts';
import { readNear } from './replica-reads.ts';
import { JobParams } from 'pawl/internal/contract/job';
import { closed, nothing } from 'pawl/internal/contract/values';
import { frameOf } from './sse-frame.ts';
import { SseStream } from './sse.ts';
import { jobJson } from './view.ts';
import { eventJson } from 'pawl/internal/contract/event-view';

/** A wake may be late, so a stream looks by itself at least this often. */
const LOOK_MS = 2_000;

export function isStreamWanted(request: FastifyRequest): boolean {
  return (request.headers.accept ?? '').includes('text/event-stream');
}

/**
 * A job and the place in its stream that it stands for. What is written between the two reads is
 * in the job already and comes once more as an event: never a gap.
 */
async function snapshotOf(services: Services, ref: JobRef): Promise<{ job: Job; at: Position }> {
  let before = await services.engine.job(ref);
  for (;;) {
    const at = { version: before.version, note: await lastNote(services.engine, before) };
    const job = await services.engine.job(ref);
    if (job.version === before.version) return { job, at };
    before = job;
  }
}

/** What a stream is told: of which job, from where on, by which cursors. */
interface StreamedJob {
  readonly stream: SseStream;
  readonly job: Job;
  readonly cursors: JobCursors;
  readonly cursor: string | undefined;
}

/** Where a stream begins. Over: the job that its reader was shown has ended. */
interface Begun {
  readonly at: Position;
  readonly isOver: boolean;
}

/** Tells a reader where it stands, where it has no good cursor of its own. */
async function begin(services: Services, told: StreamedJob): Promise<Begun> {
  const { stream, cursors, cursor } = told;
  const given = cursor === undefined ? null : await cursors.read(cursor, told.job);
  if (given !== null && typeof given === 'object') {
    return { at: given, isOver: isTerminal(told.job.phase) };
  }
  if (cursor !== undefined) {
    await stream.send(frameOf({ event: 'reset', data: problemOf(RESET) }));
  }
  const { job, at } = await snapshotOf(services, told.job);
  await stream.send(frameOf({ id: cursors.at(at), event: 'snapshot', data: jobJson(job) }));
  // The job may have ended since the request looked for it: no event would tell of that any more.
  return { at, isOver: isTerminal(job.phase) };
}

/** Where a stream stands after a portion, and whether there is more to be read at once. */
interface Sent {
  readonly at: Position;
  readonly hasMore: boolean;
  readonly isOver: boolean;
}

/** Events of a job as they are written to each of its streams. */
interface Frames {
  readonly frames: readonly (EventFrame & {
    readonly at: Position;
    readonly isLast: boolean;
  })[];
  readonly hasMore: boolean;
}

function readFrames(
  services: Services,
  { job, cursors }: StreamedJob,
  asked: { after: Position; limit: number },
): Promise<Frames> {
  const { id, tenant } = job;
  const key = `${tenant} ${id} ${cursors.at(asked.after)} ${asked.limit}`;
  return services.live.reads.share(key, async () => {
    const page = await services.engine.events({ id, tenant, ...asked, notes: true });
    const frames = page.events.map((event) => {
      const at = { version: event.version, note: event.note };
      const frame = eventFrame(cursors.at(at), event, eventJson(event, job));
      return { ...frame, at, isLast: isTerminal(event.phase) };
    });
    return { frames, hasMore: page.hasMore };
  });
}

/** Reads on and sends as much as the reader has room for; the rest is let go and read again. */
async function sendSome(
  services: Services,
  told: StreamedJob,
  from: { after: Position; portion: Portion },
): Promise<Sent> {
  const { after, portion } = from;
  const { liveTexts } = services.engine;
  const page = await readFrames(services, told, { after, limit: portion.size });
  let at = after;
  let sent = 0;
  let isOver = false;
  for (const frame of page.frames) {
    at = frame.at;
    isOver ||= frame.isLast;
    sent += 1;
    if (!told.stream.write(frameFor(told.stream, liveTexts, frame))) break;
  }
  const isWhole = sent === page.frames.length;
  portion.took(sent, isWhole);
  return { at, hasMore: page.hasMore || !isWhole, isOver };
}

/** Sends what is stored, then what comes, until the job has ended or the reader has gone. */
async function follow(
  services: Services,
  request: FastifyRequest,
  told: StreamedJob,
): Promise<void> {
  const { stream, job } = told;
  const { keepaliveMs } = services.streams.limits;
  const watch = await services.live.watch(jobTopic(job));
  try {
    let { at, isOver } = await begin(services, told);
    const portion = new Portion();
    let checkedAt = performance.now();
    while (!stream.gone.aborted) {
      watch.reset();
      const sent = await sendSome(services, told, { after: at, portion });
      await stream.drained();
      at = sent.at;
      isOver ||= sent.isOver;
      if (sent.hasMore) continue;
      if (isOver) break;
      await watch.wait(Math.min(LOOK_MS, keepaliveMs), stream.gone);
      if (performance.now() - checkedAt < keepaliveMs) continue;
      await services.recheck(request);
      await stream.keepAlive();
      checkedAt = performance.now();
    }
  } finally {
    watch.close();
  }
}

/** Opens a stream for a caller, runs its body and closes it, whatever happens. */
export async function openStream(
  services: Services,
  reply: FastifyReply,
  body: (stream: SseStream) => Promise<void>,
): Promise<void> {
  const leave = services.streams.enter(credentialOf(reply.request).id);
  const { limits } = services.streams;
  const stream = new SseStream(reply, {
    limits,
    random: services.random,
    stopping: services.live.stopping,
    since: services.engine.liveTexts.mark,
  });
  try {
    await body(stream);
  } catch {
    // The head is sent, so there is no other answer than an end; the reader comes back.
  } finally {
    stream.end();
    leave();
  }
}

async function listEvents(
  services: Services,
  exchange: { request: FastifyRequest; reply: FastifyReply; job: Job },
  asked: { cursor: string | undefined; cursors: JobCursors; limit: number },
) {
  const { job } = exchange;
  const { cursor, cursors, limit } = asked;
  const after = cursor === undefined ? START : await cursors.read(cursor, job);
  if (after === 'faulty') {
    const message = 'must be a `nextCursor` of this list, or 0.0 for its start';
    const faults = [{ in: 'query', pointer: '/cursor', message }];
    throw new PawlError('VALIDATION_ERROR', message, { faults });
  }
  if (after === 'foreign') throw RESET;
  const { id, tenant } = job;
  const query = { id, tenant, after, limit, notes: true };
  const page = await readNear(services, exchange, (from) => from.events(query));
  const last = page.hasMore ? page.events.at(-1) : undefined;
  const items = page.events.map((event) => eventJson(event, job));
  return { items, nextCursor: last === undefined ? null : cursors.at(last) };
}

const STREAM_TEXT =
  'As JSON: a page of the history. With `Accept: text/event-stream`: first `event: snapshot` ' +
  'with the Job, then an event for each thing that happens, named by its type, with a JobEvent ' +
  'as data. ' +
  'The id of a message is the cursor: send the last one as `Last-Event-ID` (or `lastEventId` in ' +
  'the query), to this server or to another, and the stream continues from there, without a gap ' +
  'and without a repeat. A cursor that is not of this log gets `event: reset` and a new ' +
  'snapshot; `0.0` is the start of every history. The stream ends with the job; a request ' +
  'after that gets 204.';

const FOLLOW_SCHEMA = {
  tags: ['Events'],
  operationId: 'followJob',
  summary: "A job's history, as a list or as a live stream",
  description: STREAM_TEXT,
  params: JobParams,
  headers: FROM_HEADERS,
  querystring: closed({
    ...FROM_QUERY,
  }),
  response: {
    200: PAGE_OR_STREAM,
    204: nothing('The job has ended and all of it was read.'),
  },
  errors: ['NOT_FOUND', 'CURSOR_RESET'],
} as const;

function followJob(app: App, services: Services): void {
  app.get(
    '/v1/jobs/:id/events',
    { config: { isLong: true }, schema: FOLLOW_SCHEMA },
    async (request, reply) => {
      const job = await services.engine.job(refOf(request, request.params.id));
      const { query, headers } = request;
      const cursor = headers['last-event-id'] ?? query.lastEventId ?? query.cursor;
      const cursors = await services.engine.cursors(job.tenant);
      if (isStreamWanted(request)) {
        const at = cursor === undefined ? null : await cursors.read(cursor, job);
        if (await isReadToTheEnd(services, job, at)) return reply.code(204).send();
        return openStream(services, reply, (stream) =>
          follow(services, request, { stream, job, cursors, cursor }),
        );
      }
      const asked = { cursor, cursors, limit: query.limit ?? 100 };
      const { items, nextCursor } = await listEvents(services, { request, reply, job }, asked);
      return reply.code(200).send(sendPage(reply, items, nextCursor));
    },
  );
}

async function isReadToTheEnd(
  { engine }: Services,
  job: Job,
  after: Reading | null,
): Promise<boolean> {
  if (after === null || typeof after === 'string' || !isTerminal(job.phase)) return false;
  const { id, tenant } = job;
  const page = await engine.events({ id, tenant, after, limit: 1, notes: true });
  return page.events.length === 0;
}

/** `/v1/jobs/{id}/events`. */
export const events: Resource = routes(followJob);
