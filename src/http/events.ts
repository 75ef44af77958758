import { Type } from 'typebox';
import type { FastifyReply } from 'fastify';
import { PawlError } from '../core/errors.ts';
import type { Job, JobRef } from '../core/job.ts';
import { isTerminal } from '../core/phase.ts';
import { type App, type Face, refOf, type Resource, routes } from './face.ts';
import { JobParams } from './jobs.ts';
import { eventJson, jobJson } from './view.ts';

/** Where a reader of one job's stream stands: the last (version, note) it has seen. */
interface Position {
  readonly version: number;
  readonly note: number;
}

const START: Position = { version: 0, note: 0 };

const PAGE = 500;

/** A comment this often keeps proxies from closing a quiet stream. */
const KEEPALIVE_MS = 15_000;

function parseCursor(cursor: string | undefined): Position {
  if (cursor === undefined) return START;
  const match = /^(\d{1,9})\.(\d{1,9})$/.exec(cursor);
  if (match === null) {
    const message = 'must be the id of an event of this stream, such as 3.0';
    throw new PawlError('VALIDATION_ERROR', message, { faults: [{ pointer: '/cursor', message }] });
  }
  return { version: Number(match[1]), note: Number(match[2]) };
}

function sse(reply: FastifyReply, event: string, data: unknown, id: string | null): void {
  const head = id === null ? '' : `id: ${id}\n`;
  reply.raw.write(`${head}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
}

/** Sends what is stored, then what comes, until the job has ended or the reader has gone. */
async function stream(
  { engine, live }: Face,
  reply: FastifyReply,
  from: { job: Job; after: Position | null },
): Promise<void> {
  const gone = new AbortController();
  reply.raw.on('close', () => gone.abort());
  const ref: JobRef = { tenant: from.job.tenant, id: from.job.id };
  let after = from.after ?? { version: from.job.version, note: Number.MAX_SAFE_INTEGER };
  if (from.after === null) sse(reply, 'snapshot', jobJson(from.job), `${from.job.version}.0`);
  while (!gone.signal.aborted) {
    const job = await engine.job(ref);
    const page = await engine.events({ ...ref, after, limit: PAGE, notes: true });
    for (const event of page.events) {
      after = { version: event.version, note: event.note };
      sse(reply, event.type, eventJson(event, job), `${event.version}.${event.note}`);
    }
    if (page.events.length > 0) continue;
    if (isTerminal(job.phase)) break;
    await live.news(ref.id, KEEPALIVE_MS, gone.signal);
    reply.raw.write(': still here\n\n');
  }
  reply.raw.end();
}

function followJob(app: App, face: Face): void {
  app.get(
    '/v1/jobs/:id/events',
    {
      schema: {
        summary: "A job's history: JSON, or a live stream for `Accept: text/event-stream`",
        params: JobParams,
        headers: Type.Object({ 'last-event-id': Type.Optional(Type.String()) }),
        querystring: Type.Object({
          cursor: Type.Optional(Type.String()),
          limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
        }),
      },
    },
    async (request, reply) => {
      const ref = refOf(request, request.params.id);
      const job = await face.engine.job(ref);
      const cursor = request.headers['last-event-id'] ?? request.query.cursor;
      if ((request.headers.accept ?? '').includes('text/event-stream')) {
        const after = cursor === undefined ? null : parseCursor(cursor);
        reply.hijack();
        reply.raw.writeHead(200, {
          'content-type': 'text/event-stream',
          'cache-control': 'no-store',
          'x-accel-buffering': 'no',
        });
        return stream(face, reply, { job, after });
      }
      const limit = request.query.limit ?? 100;
      const after = parseCursor(cursor);
      const page = await face.engine.events({ ...ref, after, limit, notes: true });
      const last = page.events.at(-1);
      const next = page.hasMore && last !== undefined ? `${last.version}.${last.note}` : null;
      return { items: page.events.map((event) => eventJson(event, job)), nextCursor: next };
    },
  );
}

/** `/v1/jobs/{id}/events`. */
export const events: Resource = routes(followJob);
