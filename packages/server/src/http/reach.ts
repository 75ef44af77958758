import type { FastifyInstance, FastifyRequest } from 'fastify';
import { PawlError } from 'pawl/internal/core/errors';
import { mayExecute, ownKey } from 'pawl/internal/core/job-access';
import type { Credential } from 'pawl/internal/contract/credential';
import type { Engine } from 'pawl/internal/engine/engine';
import type { EnqueueRequest } from 'pawl/internal/engine/enqueue-request';
import { unknownType } from 'pawl/internal/engine/refusals';
import { definitionOf } from 'pawl/internal/engine/stored-definition';
import type { TypeRecord } from 'pawl/internal/records/job-types';
import { PUBLIC, routeName, scopeOf } from './access.ts';

/** Routes of a job, by whose path the job is known: it is looked at before they are. */
const OF_A_JOB: ReadonlySet<string> = new Set([
  'GET /v1/jobs/:id',
  'GET /v1/jobs/:id/access',
  'GET /v1/jobs/:id/artifacts',
  'GET /v1/jobs/:id/events',
  'GET /v1/jobs/:id/input',
  'GET /v1/jobs/:id/messages',
  'GET /v1/jobs/:id/past',
  'GET /v1/jobs/:id/result',
  'GET /v1/jobs/:id/tree',
  'GET /v1/jobs/:id/waits/:name/results',
  'GET /v1/jobs/:id/why',
  'POST /v1/jobs/:id/cancel',
  'POST /v1/jobs/:id/messages',
  'POST /v1/jobs/:id/messages/links',
  'POST /v1/jobs/:id/submit',
  'PUT /v1/jobs/:id/access',
]);

/** Routes that keep to what the caller reaches themselves, or show nothing of anybody. */
const KEEPING: ReadonlySet<string> = new Set([
  'GET /v1/events',
  'GET /v1/jobs',
  'GET /v1/lifecycles',
  'GET /v1/lifecycles/:name',
  'GET /v1/me',
  'GET /v1/types',
  'GET /v1/types/:type',
  'POST /v1/artifacts',
  'POST /v1/jobs',
]);

/** Whether a route of the platform is for callers who do not see all of their tenant. */
export function isInReach(name: string): boolean {
  return OF_A_JOB.has(name) || KEEPING.has(name);
}

/**
 * Callers who do not see all of their tenant get to routes that keep to what they reach; those of
 * plug-ins say so themselves. A route that nobody has listed is refused to them.
 */
export function keepReach(app: FastifyInstance, engine: Engine): void {
  app.addHook('onRequest', (request) => requireReach(engine, request));
}

/** Rejects where the caller does not reach what its request is about. */
export async function requireReach(engine: Engine, request: FastifyRequest): Promise<void> {
  const { credential, routeOptions, is404 } = request;
  if (is404 || credential === null || credential.reach === 'tenant') return;
  const { isReachKept = false, isGuestWelcome = false } = routeOptions.config;
  if (isReachKept || isGuestWelcome || scopeOf(request) === PUBLIC) return;
  const name = routeName(request.method, routeOptions.url ?? '');
  if (OF_A_JOB.has(name)) return requireJob(engine, request, credential);
  if (KEEPING.has(name)) return;
  const message = 'this concerns jobs of everybody: it needs another role than user';
  throw new PawlError('FORBIDDEN', message);
}

/** Whoever can only read a job is told so; to all others there is none. */
async function requireJob(
  engine: Engine,
  request: FastifyRequest,
  credential: Credential,
): Promise<void> {
  const { id } = request.params as { id: string };
  const [found] = await engine.reachedJobs(credential, {
    refs: [{ tenant: credential.tenant, id }],
  });
  if (!found) throw new PawlError('NOT_FOUND', `there is no job ${id}`);
  if (request.method === 'GET' || request.method === 'HEAD' || found.access === 'all') return;
  const message = `the job ${id} is shared with you to be read: ask its owner`;
  throw new PawlError('FORBIDDEN', message);
}

/** Of these jobs, those that the caller reaches; null: it reaches all. */
export async function reachedIds(
  engine: Engine,
  credential: Credential,
  ids: readonly string[],
): Promise<ReadonlySet<string> | null> {
  if (credential.reach === 'tenant') return null;
  const { tenant } = credential;
  const refs = [...new Set(ids)].map((id) => ({ tenant, id }));
  const found = await engine.reachedJobs(credential, { refs });
  return new Set(found.flatMap((one) => (one === null ? [] : [one.job.id])));
}

/** Whether a caller may enqueue jobs of a type: users those that are published for them. */
export function mayEnqueue(credential: Credential, record: TypeRecord): boolean {
  if (credential.reach === 'tenant') return true;
  const { expose } = definitionOf(record);
  return expose !== undefined && mayExecute(credential, expose);
}

/** They answer with jobs of others, or count a job as somebody else's. */
const BEYOND_USERS = ['unique', 'limitKey', 'parentJobId'] as const;

/** A request for a job as its caller may make it. */
export async function reachedRequest(
  engine: Engine,
  credential: Credential,
  asked: EnqueueRequest,
): Promise<EnqueueRequest> {
  if (credential.reach === 'tenant') return asked;
  const { type, idempotencyKey } = asked;
  const beyond = BEYOND_USERS.filter((name) => asked[name] !== undefined);
  if (beyond.length > 0) {
    const message = `${beyond.join(', ')} needs another role than user: leave it out`;
    throw new PawlError('FORBIDDEN', message);
  }
  const record = await engine.registry.type(credential.tenant, type);
  if (!mayEnqueue(credential, record)) throw unknownType(type);
  if (idempotencyKey === undefined) return asked;
  return { ...asked, idempotencyKey: ownKey(credential, idempotencyKey) };
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route itself keeps to what its caller reaches. */
    isReachKept?: boolean;
  }
}
