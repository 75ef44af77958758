import { isTerminal, isUuid, type Job, type Outgoing, PawlError } from 'pawl/define';
import {
  type Artifacts,
  type Engine,
  GUEST_CREDENTIAL,
  OPEN_CREDENTIAL,
  type RouteContext,
} from 'pawl/plugin';
import type { ProcessCaller, ProcessSource } from '../model/process-source.ts';
import type { ProcessDescription } from '../model/process-description.ts';
import { noSuchJob, noSuchProcess } from './exception.ts';
import { recordIn } from './execution-record.ts';

/** How a synchronous answer names its job: by RFC 8288, as the official suite reads it, not. */
export type MonitorLink = 'rfc8288' | 'plain' | 'none';

export interface OgcServerSettings {
  /** Where clients reach this API; null: at the host that each request names. */
  readonly publicUrl: string | null;
  readonly monitorLink: MonitorLink;
  /** The longest that a synchronous execution is waited for. */
  readonly syncWaitMs: number;
}

/** What the routes of the standard work with. */
export interface OgcDependencies {
  readonly engine: Engine;
  readonly sources: readonly ProcessSource[];
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

/** Where no credentials are asked for, everybody is somebody who may see everything. */
export function processCallerOf({ caller }: OgcRequest): ProcessCaller {
  const { id, tenant, principal } = caller;
  return { tenant, principal: id === OPEN_CREDENTIAL.id ? OPEN_CREDENTIAL.id : principal };
}

/** True for a caller without a credential, where others have one. */
export function isGuest({ caller }: OgcRequest): boolean {
  return caller.id === GUEST_CREDENTIAL.id;
}

/** What is not for everybody is told to nobody who does not say who asks. */
export function whoAsks(): PawlError {
  const message = 'this is not for everybody: send a credential';
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
  const caller = processCallerOf(request);
  for (const source of sources) {
    const description = await source.describe(caller, id);
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
  for (const source of sources) if (await source.owns(job.type, job.tenant)) return source;
  return null;
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

export interface KnownJob {
  readonly job: Job;
  readonly source: ProcessSource;
}

/**
 * A job of the caller's own tenant that is an execution of a process; else there is none. Guests
 * find those that guests have begun, of which nobody else knows the ids.
 */
export async function findJob(
  deps: OgcDependencies,
  request: OgcRequest,
  id: string,
): Promise<KnownJob> {
  const nothing = (): Error => (isGuest(request) ? whoAsks() : noSuchJob(id));
  if (!isUuid(id)) throw nothing();
  const { tenant } = request.caller;
  const job = await deps.engine.job({ tenant, id }).catch((error: unknown) => {
    if (error instanceof PawlError && error.code === 'NOT_FOUND') throw nothing();
    throw error;
  });
  const source = await sourceOf(deps, job);
  const isHidden = isGuest(request) && recordIn(job)?.isGuests !== true;
  if (source === null || isHidden) throw nothing();
  return { job, source };
}
