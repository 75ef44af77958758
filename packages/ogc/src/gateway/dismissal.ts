import type { JobRef } from 'pawl/define';
import type { Engine, LogFollower } from 'pawl/plugin';
import { currentUrls } from './locations.ts';
import { isGatewayType, providerOfType } from './process-id.ts';
import { askProvider } from './provider-client.ts';
import { remoteStateOf } from './remote-state.ts';
import type { GatewayDependencies } from './turn.ts';

const FOLLOWER = 'pawl.ogc.dismissals';
const TIMEOUT_MS = 10_000;
/** Done, gone already, or nothing that this provider can do. */
const SETTLED: ReadonlySet<number> = new Set([200, 202, 204, 404, 405, 410, 501]);

/**
 * Tells providers of jobs that were dismissed here, by whichever way: the log is followed, so a
 * crash in between forgets none. It is asked for once or more, and nobody waits for its success.
 */
export function followDismissals(engine: Engine, deps: GatewayDependencies): LogFollower {
  return engine.follow({
    name: FOLLOWER,
    from: 'now',
    handle: async (items) => {
      const dismissed = items.filter(
        ({ event, jobType }) => event.type === 'job_cancelled' && isGatewayType(jobType),
      );
      const refs = dismissed.map(({ event }) => ({ tenant: event.tenant, id: event.jobId }));
      await Promise.all(refs.map((ref) => dismissRemote(engine, deps, ref)));
    },
  });
}

async function dismissRemote(
  engine: Engine,
  deps: GatewayDependencies,
  ref: JobRef,
): Promise<void> {
  const [job] = await engine.find([ref]);
  const provider = job ? deps.provider(providerOfType(job.type) ?? '') : undefined;
  const state = job ? remoteStateOf(job) : null;
  if (provider === undefined || state?.step !== 'following') return;
  const [url] = currentUrls(provider, state);
  if (url === undefined) return;
  const facts = { jobId: ref.id, provider: provider.name };
  try {
    const request = { method: 'DELETE', url, timeoutMs: TIMEOUT_MS } as const;
    const { status } = await askProvider(deps.http, provider, request);
    if (SETTLED.has(status)) return;
    deps.log.warn('a provider did not dismiss a job', { ...facts, status });
  } catch (error) {
    const message = (error as Error).message;
    deps.log.warn('a request to dismiss a job did not reach the provider', {
      ...facts,
      error: message,
    });
  }
}
