import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyPluginCallback, FastifyRequest, RawServerDefault } from 'fastify';
import { apiActor, ownerName } from 'pawl/internal/core/actor';
import type { ErrorCode } from 'pawl/internal/core/errors';
import type { JobRef } from 'pawl/internal/core/job';
import type { Random } from 'pawl/internal/core/random';
import { type Credential, OPEN_CREDENTIAL } from 'pawl/internal/contract/credential';
import type { Caller } from 'pawl/internal/engine/enqueue';
import type { DoctorDependencies } from 'pawl/internal/doctor/facts';
import type { Engine } from 'pawl/internal/engine/engine';
import type { PluginCheck } from 'pawl/internal/plugin/plugin';
import type { LiveHub } from 'pawl/internal/engine/live/live-hub';
import type { SloDependencies } from '../slo/report.ts';
import type { ArtifactServices } from './artifact-view.ts';
import type { RemoteWorkers } from './remote-workers.ts';
import type { LogWindow } from './log-window.ts';
import type { StreamGate } from './sse.ts';
import type { ServerStatus } from './status.ts';

/** What every resource of the API works with. */
export interface Services {
  readonly engine: Engine;
  readonly live: LiveHub;
  readonly doctor: DoctorDependencies;
  readonly slo: SloDependencies;
  /** What plug-ins add to the doctor, by names of their own. */
  readonly pluginChecks: readonly PluginCheck[];
  /** Scopes that plug-ins declare. */
  readonly pluginScopes: readonly string[];
  /** The latest part of the log, for streams that are up to date. */
  readonly window: LogWindow;
  readonly streams: StreamGate;
  readonly random: Random;
  readonly status: ServerStatus;
  readonly remoteWorkers: RemoteWorkers;
  /** Null where artifacts are not kept. */
  readonly artifacts: ArtifactServices | null;
  /** Rejects when the credential of an open stream is no longer good. */
  readonly recheck: (request: FastifyRequest) => Promise<void>;
}

export type Resource = FastifyPluginCallback<Services, RawServerDefault, TypeBoxTypeProvider>;

/** The server as a resource sees it: schemas infer the types of requests. */
export type App = Parameters<Resource>[0];

/** A resource of several routes, each registered by a function of its own. */
export function routes(...register: ((app: App, services: Services) => void)[]): Resource {
  return (app, services, done) => {
    for (const one of register) one(app, services);
    done();
  };
}

export function credentialOf(request: FastifyRequest): Credential {
  return request.credential ?? OPEN_CREDENTIAL;
}

/** On whose behalf the engine acts: by the credential, whatever the request says. */
export function callerOf(request: FastifyRequest): Caller {
  const { tenant, principal } = credentialOf(request);
  return { tenant, principal };
}

export function actorOf(request: FastifyRequest): string {
  return apiActor(credentialOf(request).principal);
}

/**
 * The owner of jobs that a worker of this name is: bound to the credential, so that nobody else of
 * the tenant can speak for it by its name.
 */
export function ownerOf(request: FastifyRequest, workerId: string): string {
  const credential = credentialOf(request);
  return ownerName(workerId, credential === OPEN_CREDENTIAL ? null : credential.id);
}

export function refOf(request: FastifyRequest, id: string): JobRef {
  return { tenant: credentialOf(request).tenant, id };
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Null until it has been looked at, and where no credentials are asked for. */
    credential: Credential | null;
  }

  interface FastifySchema {
    readonly operationId?: string;
    readonly summary?: string;
    readonly description?: string;
    readonly tags?: readonly string[];
    /** Codes that this route answers with, beside those that every route can. */
    readonly errors?: readonly ErrorCode[];
    /** True where people are told on a page what programs are told as a problem. */
    readonly hasPages?: boolean;
    /** What the body is, where it is bytes of any type. */
    readonly bytes?: string;
    /** True for a route that another document describes than this API's own. */
    readonly describedElsewhere?: boolean;
  }
}
