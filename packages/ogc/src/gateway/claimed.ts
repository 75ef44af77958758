import type { Engine } from 'pawl/plugin';
import { remoteStateOf } from './remote-state.ts';
import type { Claimed } from './turn.ts';

const CLAIMED_MAX = 1_000;

/** Over all tenants: a remote job is one job's, whoever asked for it. */
export async function claimedOf(engine: Engine, type: string, besides: string): Promise<Claimed> {
  const rows = (await engine.tally(null)).filter((row) => row.type === type);
  const tenants = [...new Set(rows.map(({ tenant }) => tenant))];
  const pages = await Promise.all(
    tenants.map((tenant) => engine.jobs({ tenant, type, limit: CLAIMED_MAX })),
  );
  const others = pages.flatMap(({ jobs }) => jobs.filter(({ id }) => id !== besides));
  const states = others.map((job) => ({ job, state: remoteStateOf(job) }));
  const known = states.flatMap(({ state }) => (state?.step === 'following' ? [state] : []));
  const isMore = pages.some(({ hasMore }) => hasMore);
  const isSent = states.some(
    ({ job, state }) => job.completedAt === null && state?.step === 'sending',
  );
  return {
    remoteIds: new Set(known.map(({ remoteId }) => remoteId)),
    isOpen: isMore || isSent || known.some(({ remoteId }) => remoteId === ''),
  };
}
