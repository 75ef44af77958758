import type { FastifyRequest } from 'fastify';
import type { Job, JobRef } from 'pawl/define';
import type { OgcDependencies } from './dependencies.ts';

/** A signal for the end of the request: the caller has gone, or the server stops. */
export function goneSignal({ engine }: OgcDependencies, request: FastifyRequest): AbortSignal {
  const gone = new AbortController();
  request.raw.socket.once('close', () => gone.abort());
  return AbortSignal.any([gone.signal, engine.live.stopping]);
}

/** The job once it is as wished, or as it stands when the time is over or the caller gone. */
export function waitUntil(
  { engine }: OgcDependencies,
  ref: JobRef,
  { ms, signal, isOver }: { ms: number; signal: AbortSignal; isOver: (job: Job) => boolean },
): Promise<Job> {
  const ends = AbortSignal.any([signal, AbortSignal.timeout(ms)]);
  return engine.waitFor(ref, { signal: ends, isOver });
}
