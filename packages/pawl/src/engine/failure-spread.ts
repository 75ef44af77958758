import type { Instant } from '../core/clock.ts';
import { workerActor } from '../core/actor.ts';
import type { Job } from '../core/job.ts';
import type { VersionRun } from '../records/worker-versions.ts';
import type { EngineContext } from './context.ts';
import type { NamedCount } from './failure-detail.ts';
import { eachFailure } from './failures.ts';

/** Which versions of workers the latest jobs of a cause failed under. */
export interface VersionSpread {
  readonly names: readonly NamedCount[];
  /** So many of the latest jobs were looked at. */
  readonly looked: number;
  /** Of so many of these it is not known: no worker reported the end, or it named no version. */
  readonly unknown: number;
}

/** Which tenants a cause concerns. */
export interface TenantSpread {
  readonly names: readonly NamedCount[];
  /** False: there are more tenants, or more failed jobs of one, than were looked at. */
  readonly isWhole: boolean;
}

const JOBS_LOOKED_AT = 100;
/** The end of a job is among its last events: an erasure may follow it. */
const LAST_EVENTS = 3;
const TENANTS_MAX = 100;
const JOBS_MAX = 500;

const WORKER = workerActor('');

/** The worker that reported the end; null where somebody else did, such as the sweep. */
async function reporterOf({ store }: EngineContext, job: Job): Promise<string | null> {
  const { tenant, id, version } = job;
  const after = { version: Math.max(0, version - LAST_EVENTS), note: 0 };
  const asked = { tenant, id, after, limit: LAST_EVENTS + 1, notes: false };
  const { events } = await store.events(asked);
  const end = events.findLast(({ phase }) => phase === 'failed' || phase === 'dead');
  return end?.actor.startsWith(WORKER) === true ? end.actor.slice(WORKER.length) : null;
}

function versionAt(runs: readonly VersionRun[], at: Instant): string | null {
  return runs.find(({ since }) => since <= at)?.version ?? null;
}

export async function versionsOf(
  context: EngineContext,
  tenant: string,
  latest: readonly Job[],
): Promise<VersionSpread> {
  const jobs = latest.slice(0, JOBS_LOOKED_AT);
  const workers = await Promise.all(jobs.map((job) => reporterOf(context, job)));
  const names = [...new Set(workers.filter((worker) => worker !== null))];
  const runs = await Promise.all(
    names.map((name) => context.records.workers.versions.list(tenant, name)),
  );
  const runsOf = new Map(names.map((name, at) => [name, runs[at]!]));
  const versions = jobs.map(({ completedAt, updatedAt }, at) =>
    versionAt(runsOf.get(workers[at] ?? '') ?? [], completedAt ?? updatedAt),
  );
  return {
    names: countsBy(versions),
    looked: jobs.length,
    unknown: versions.filter((version) => version === null).length,
  };
}

/** Over all tenants: for who runs the platform. */
export async function tenantsOf(
  context: EngineContext,
  fingerprint: string,
): Promise<TenantSpread> {
  const tenants = await context.store.maintenance.tenants();
  const names: string[] = [];
  let isWhole = tenants.length <= TENANTS_MAX;
  for (const tenant of tenants.slice(0, TENANTS_MAX)) {
    let looked = 0;
    for await (const _ of eachFailure(context, { tenant, fingerprint }, null)) {
      if (++looked > JOBS_MAX) break;
      names.push(tenant);
    }
    if (looked > JOBS_MAX) isWhole = false;
  }
  return { names: countsBy(names), isWhole };
}

/** How often each name is there, the most frequent first. */
export function countsBy(names: readonly (string | null)[]): NamedCount[] {
  return [...Map.groupBy(names, (name) => name)]
    .flatMap(([name, own]) => (name === null ? [] : [{ name, count: own.length }]))
    .toSorted((one, other) => other.count - one.count);
}
