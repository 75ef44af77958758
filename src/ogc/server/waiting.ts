import type { FastifyRequest } from 'fastify';
import type { Job, JobRef } from '../../core/job.ts';
import { jobTopic } from '../../http/live.ts';
import type { OgcRoom } from './room.ts';

/** A wake may be late, so a wait looks by itself at least this often. */
const LOOK_MS = 1_000;

/** A signal for the end of the request: the caller has gone, or the server stops. */
export function goneSignal({ live }: OgcRoom, request: FastifyRequest): AbortSignal {
  const gone = new AbortController();
  request.raw.socket.once('close', () => gone.abort());
  return AbortSignal.any([gone.signal, live.stopping]);
}

/** The job once it is as wished, or as it stands when the time is over or the caller gone. */
export async function waitUntil(
  { engine, live }: OgcRoom,
  ref: JobRef,
  wait: { ms: number; signal: AbortSignal; isOver: (job: Job) => boolean },
): Promise<Job> {
  const until = performance.now() + wait.ms;
  const watch = await live.watch(jobTopic(ref));
  try {
    for (;;) {
      watch.reset();
      const job = await engine.job(ref);
      const leftMs = until - performance.now();
      if (wait.isOver(job) || leftMs <= 0 || wait.signal.aborted) return job;
      await watch.wait(Math.min(leftMs, LOOK_MS), wait.signal);
    }
  } finally {
    watch.close();
  }
}
