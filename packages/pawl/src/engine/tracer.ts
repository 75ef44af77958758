import type { EnqueueResult } from './enqueue.ts';
import type { EnqueueRequest } from './enqueue-request.ts';

/**
 * Puts enqueues into traces: it may give requests another `traceId`, and sees what came of them.
 * Handed in like the clock; without one nothing is paid.
 */
export type EnqueueTracer = (
  requests: readonly EnqueueRequest[],
  run: (requests: readonly EnqueueRequest[]) => Promise<EnqueueResult[]>,
) => Promise<EnqueueResult[]>;
