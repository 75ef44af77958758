import { isTerminal, isUuid, type Job, type Outgoing, PawlError } from 'pawl/define';
import type { Artifacts, Engine, RouteContext } from 'pawl/plugin';
import type { ProcessSource } from '../model/process-source.ts';
import type { ProcessDescription } from '../model/process-description.ts';
import type { PostgisDestination } from '../features/postgis.ts';
import type { DeployedDependencies } from './deployed-processes.ts';
import { noSuchJob, noSuchProcess } from './exception.ts';
import { recordIn } from './execution-record.ts';

/**
 * How a synchronous response links to its job: by RFC 8288, in the form that the official suite
 * reads, or not at all.
 */
export type MonitorLink = 'rfc8288' | 'plain' | 'none';

export interface OgcServerSettings {
  /** Where clients reach this API; null: at the host that each request names. */
  readonly publicUrl: string | null;
  readonly monitorLink: MonitorLink;
  /** The longest that a synchronous execution is waited for. */
  readonly syncWaitMs: number;
  /** The 2.0 draft of the standard is served, rather than 1.0. */
  readonly isDraft2: boolean;
  /** Where features can be delivered to; null: to no database. */
  readonly postgis: PostgisDestination | null;
}

/** What the routes of the standard work with. */
export interface OgcDependencies {
  readonly engine: Engine;
  readonly sources: readonly ProcessSource[];
  /** Of the processes that requests deploy; its source is among `sources`. */
  readonly deployed: DeployedDependencies;
  readonly settings: OgcServerSettings;
  readonly outgoing: Pick<Outgoing, 'check' | 'fetch'>;
  /** Where large inputs and results are kept. */
  readonly access: Artifacts;
}

/** A request as the routes of the standard read it. */
export interface OgcRequest extends RouteContext {
  readonly headers: Headers;
}

/** Where the API is for whoever reached it at this origin, without a slash at its end. */
export function baseOf(
  { settings }: Pick<OgcDependencies, 'settings'>,
  { origin }: Pick<OgcRequest, 'origin'>,
): string {
  return settings.publicUrl ?? origin;
}

/** True for a caller without a credential, where others have one. */
export function isGuest({ caller }: OgcRequest): boolean {
  return caller.reach === 'guest';
}

/** What is not for everybody is told to nobody who does not say who asks. */
export function whoAsks(): PawlError {
  const message = 'this requires a credential';
  return new PawlError('UNAUTHENTICATED', message);
}

/** A process with the source that it comes from. */
export interface KnownProcess {
  readonly source: ProcessSource;
  readonly description: ProcessDescription;
}

export async function findProcess(
  { sources }: OgcDependencies,
  request: OgcRequest,
  id: string,
): Promise<KnownProcess> {
  for (const source of sources) {
    const description = await source.describe(request.caller, id);
    if (description !== null) return { source, description };
  }
  throw isGuest(request) ? whoAsks() : noSuchProcess(id);
}

/** The source of a job, or null for a job that is no execution of a process, or was removed. */
export async function sourceOf(
  { sources, engine }: Pick<OgcDependencies, 'sources' | 'engine'>,
  job: Job,
): Promise<ProcessSource | null> {
  if (await isErased(engine, job)) return null;
  for (const source of sources) if (await isSourceOf(source, job)) return source;
  return null;
}

function isSourceOf(source: ProcessSource, job: Job): boolean | Promise<boolean> {
  return source.hasPrepared?.(job) ?? source.owns(job.type, job.tenant);
}

/** Its history says it; only of a job that says nothing any more is it asked. */
async function isErased(engine: Engine, job: Job): Promise<boolean> {
  const { tenant, id, version, input, metadata, checkpoint, result, message } = job;
  const isBlank = input === 'null' && !metadata && !checkpoint && !result && !message;
  if (!isTerminal(job.phase) || !isBlank) return false;
  const after = { version: version - 1, note: 0 };
  const last = await engine.events({ tenant, id, after, limit: 1, notes: false });
  return last.events.some(({ type }) => type === 'job_erased');
}

/** Whether a job is carried out elsewhere: what goes wrong there is nothing that we do. */
export function isRemote(source: ProcessSource, job: Job): boolean {
  return source.isRemote?.(job) ?? source.isTakenOn !== undefined;
}

export interface KnownJob {
  readonly job: Job;
  readonly source: ProcessSource;
  readonly access: 'read' | 'all';
}

/**
 * A job that the caller reaches and that is an execution of a process; else there is none. Guests
 * find those that guests have begun, of which nobody else knows the ids.
 */
export async function findJob(
  deps: OgcDependencies,
  request: OgcRequest,
  id: string,
): Promise<KnownJob> {
  const { caller } = request;
  const refs = isUuid(id) ? [{ tenant: caller.tenant, id }] : [];
  const isGuests = (job: Job): boolean => recordIn(job)?.isGuests === true;
  const [found] = await deps.engine.reachedJobs(caller, { refs, isGuests });
  const source = found ? await sourceOf(deps, found.job) : null;
  if (!found || source === null) throw isGuest(request) ? whoAsks() : noSuchJob(id);
  return { ...found, source };
}
