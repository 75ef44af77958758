import type { FastifyInstance, FastifyRequest } from 'fastify';
import { PawlError } from 'pawl/internal/core/errors';
import type { Authenticator } from '../auth/authenticator.ts';
import {
  type Credential,
  GUEST_CREDENTIAL,
  OPEN_CREDENTIAL,
} from 'pawl/internal/contract/credential';
import type { AnyScope, Scope } from 'pawl/internal/contract/role';

/** Routes that tell nothing about anybody's jobs. */
export const PUBLIC = 'public';

/** Routes that need a credential, whatever it allows. */
export const SIGNED_IN = 'signed-in';

/**
 * The one table of what each route of the platform needs; those of plug-ins say it themselves. A
 * route that is not listed is refused to everybody once credentials are asked for.
 */
export const ROUTE_SCOPES: Readonly<Record<string, Scope | typeof PUBLIC | typeof SIGNED_IN>> = {
  'GET /': PUBLIC,
  'GET /mark.svg': PUBLIC,
  'GET /assets/:file': PUBLIC,
  'GET /guides': PUBLIC,
  'GET /guides/:file': PUBLIC,
  'GET /guides/:section/:file': PUBLIC,
  'GET /v1/page': PUBLIC,
  'GET /plugins/:plugin/:file': PUBLIC,
  'GET /livez': PUBLIC,
  'GET /readyz': PUBLIC,
  'GET /openapi.json': PUBLIC,
  'GET /docs': PUBLIC,
  'GET /docs/style.css': PUBLIC,
  'GET /metrics': 'metrics:read',
  'GET /v1/slo': 'metrics:read',
  'GET /v1/history': 'metrics:read',
  'GET /v1/past': 'queues:read',
  'POST /v1/what-if': 'queues:read',
  'GET /v1/cells': 'queues:read',
  'GET /v1/tenants': 'queues:read',
  'PUT /v1/tenants/:tenant/cell': 'keys:admin',
  'POST /v1/tenants/:tenant/move': 'keys:admin',
  'GET /v1/me': SIGNED_IN,
  'GET /v1/usage': 'queues:read',
  'GET /v1/search': 'jobs:read',
  'GET /v1/lifecycles': 'types:read',
  'GET /v1/lifecycles/:name': 'types:read',
  'GET /v1/types': 'types:read',
  'GET /v1/types/:type': 'types:read',
  // What is registered already is changed with `types:write` only.
  'PUT /v1/types/:type': 'types:register',
  'POST /v1/jobs': 'jobs:write',
  'POST /v1/jobs/batch': 'jobs:write',
  'POST /v1/jobs/:id/submit': 'jobs:write',
  'GET /v1/jobs': 'jobs:read',
  'GET /v1/jobs/:id': 'jobs:read',
  'GET /v1/jobs/:id/past': 'jobs:read',
  'GET /v1/jobs/:id/why': 'jobs:read',
  'GET /v1/jobs/:id/events': 'jobs:read',
  'GET /v1/jobs/:id/result': 'jobs:read',
  'GET /v1/jobs/:id/input': 'jobs:read',
  'GET /v1/jobs/:id/access': 'jobs:read',
  'PUT /v1/jobs/:id/access': 'jobs:write',
  'GET /v1/jobs/:id/tree': 'jobs:read',
  'GET /v1/jobs/:id/messages': 'jobs:read',
  'GET /v1/jobs/:id/waits/:name/results': 'jobs:read',
  'POST /v1/jobs/:id/messages': 'jobs:write',
  'POST /v1/jobs/:id/messages/links': 'jobs:write',
  'GET /v1/events': 'jobs:read',
  'POST /v1/jobs/:id/cancel': 'jobs:cancel',
  'POST /v1/jobs/cancel': 'jobs:cancel',
  'POST /v1/jobs/:id/reject': 'jobs:operate',
  'POST /v1/jobs/:id/dead-letter': 'jobs:operate',
  'POST /v1/jobs/:id/erase': 'jobs:erase',
  'POST /v1/jobs/:id/rerun': 'jobs:write',
  'POST /v1/jobs/rerun': 'jobs:write',
  'GET /v1/failures': 'jobs:read',
  'GET /v1/failures/jobs': 'jobs:read',
  'GET /v1/failures/:fingerprint': 'jobs:read',
  'POST /v1/failures/:fingerprint/ignore': 'jobs:operate',
  'DELETE /v1/failures/:fingerprint/ignore': 'jobs:operate',
  'POST /v1/operations': 'jobs:operate',
  'GET /v1/operations': 'jobs:read',
  'GET /v1/operations/:id': 'jobs:read',
  'POST /v1/operations/:id/stop': 'jobs:operate',
  'POST /v1/operations/:id/undo': 'jobs:operate',
  'GET /v1/dlq': 'dlq:read',
  'GET /v1/dlq/:id': 'dlq:read',
  'POST /v1/dlq/:id/replay': 'dlq:replay',
  'POST /v1/dlq/replay': 'dlq:replay',
  'GET /v1/queues': 'queues:read',
  'GET /v1/queues/:name': 'queues:read',
  'PATCH /v1/queues/:name': 'queues:write',
  'GET /v1/workers': 'queues:read',
  'GET /v1/workers/:name': 'queues:read',
  'POST /v1/workers/:name/drain': 'queues:write',
  'PUT /v1/workers/:name': 'work',
  'GET /v1/schedules': 'schedules:read',
  'GET /v1/schedules/:name': 'schedules:read',
  'POST /v1/schedules': 'schedules:write',
  'PUT /v1/schedules/:name': 'schedules:write',
  'DELETE /v1/schedules/:name': 'schedules:write',
  'POST /v1/schedules/:name/pause': 'schedules:write',
  'POST /v1/schedules/:name/resume': 'schedules:write',
  'POST /v1/schedules/:name/run': 'schedules:write',
  'GET /v1/schedules/:name/history': 'schedules:read',
  'POST /v1/claims': 'work',
  'POST /v1/jobs/:id/start': 'work',
  'POST /v1/jobs/:id/heartbeat': 'work',
  'POST /v1/jobs/:id/stages/:name': 'work',
  'POST /v1/jobs/:id/complete': 'work',
  'POST /v1/jobs/:id/fail': 'work',
  'POST /v1/jobs/:id/snooze': 'work',
  'POST /v1/jobs/:id/release': 'work',
  'POST /v1/jobs/:id/cancelled': 'work',
  'POST /v1/jobs/:id/children': 'work',
  'POST /v1/jobs/:id/await': 'work',
  'POST /v1/jobs/:id/suspend': 'work',
  'POST /v1/jobs/:id/waits/:name/results': 'work',
  'POST /v1/jobs/:id/messages/:message/aside': 'work',
  'POST /v1/jobs/:id/links': 'work',
  'POST /v1/artifacts': 'artifacts:write',
  // The signature of the link is the credential here.
  'GET /v1/artifacts/:id': PUBLIC,
  'GET /v1/message-links/:id': PUBLIC,
  'POST /v1/message-links/:id': PUBLIC,
  'GET /v1/artifacts/:id/link': 'artifacts:read',
  'GET /v1/jobs/:id/artifacts': 'artifacts:read',
  'PUT /v1/jobs/:id/artifacts/:name': 'work',
  'GET /v1/keys': 'keys:admin',
  'GET /v1/keys/:id': 'keys:admin',
  'POST /v1/keys': 'keys:admin',
  'POST /v1/keys/:id/rotate': 'keys:admin',
  'POST /v1/keys/:id/revoke': 'keys:admin',
  'GET /v1/audit': 'audit:read',
  'GET /v1/doctor': 'audit:read',
  'GET /v1/doctor/verify': 'audit:read',
};

/** Routes whose callers have a signed link, and are known to nobody. */
const SIGNED: ReadonlySet<string> = new Set([
  'GET /v1/artifacts/:id',
  'GET /v1/message-links/:id',
  'POST /v1/message-links/:id',
]);

/** The name of a route in the tables: some are there with a slash at their end too. */
export function routeName(method: string, url: string): string {
  const verb = method === 'HEAD' ? 'GET' : method;
  return `${verb} ${url.length > 1 && url.endsWith('/') ? url.slice(0, -1) : url}`;
}

/** What a route of a plug-in says itself, else the table's word; null where neither does. */
export function scopeOfRoute(
  method: string,
  url: string,
  own?: Scope | typeof PUBLIC,
): Scope | typeof PUBLIC | typeof SIGNED_IN | null {
  return own ?? ROUTE_SCOPES[routeName(method, url)] ?? null;
}

/** Asks every request for its credential and for the scope that its route needs. */
export function requireAccess(app: FastifyInstance, authenticator: Authenticator): void {
  app.addHook('onRequest', async (request) => {
    if (request.is404) return;
    const { isGuestWelcome = false } = request.routeOptions.config;
    if (scopeOf(request) === PUBLIC) return;
    const isNameless = request.headers.authorization === undefined;
    if (isNameless && isGuestWelcome) {
      request.credential = GUEST_CREDENTIAL;
      return;
    }
    const credential = await authenticator.authenticate(request.headers.authorization, request.ip);
    request.credential = credential;
    requireScope(request, credential);
  });
}

/** The scope that a route needs: its plug-in's word, or the table's. */
export function scopeOf({
  method,
  routeOptions,
}: FastifyRequest): AnyScope | typeof PUBLIC | typeof SIGNED_IN | null {
  return routeOptions.config.scope ?? scopeOfRoute(method, routeOptions.url ?? '');
}

function isSigned({ method, routeOptions }: FastifyRequest): boolean {
  return SIGNED.has(routeName(method, routeOptions.url ?? ''));
}

function requireScope(request: FastifyRequest, { scopes }: Credential): void {
  const scope = scopeOf(request);
  if (scope === PUBLIC || scope === SIGNED_IN || (scope !== null && scopes.has(scope))) return;
  const message =
    scope === null
      ? 'this operation cannot be used'
      : `this needs the scope ${scope}, which the credential does not have`;
  throw new PawlError('FORBIDDEN', message);
}

/** Callers are told by whoever stands before this server; what their scopes allow is kept to. */
export function admitBy(
  app: FastifyInstance,
  admit: (request: FastifyRequest) => Credential | null,
): void {
  app.addHook('onRequest', async (request) => {
    if (request.is404 || isSigned(request)) return;
    const credential = admit(request);
    if (credential === null) throw new PawlError('UNAUTHENTICATED', 'the caller is unknown');
    request.credential = credential;
    requireScope(request, credential);
  });
}

const LOCAL = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/;

/**
 * Without credentials the machine's own programs are trusted, but not every page that its browser
 * shows: neither by a name that was pointed here, nor across origins.
 */
export function admitLocals(app: FastifyInstance): void {
  app.addHook('onRequest', async (request) => {
    refuseStrangers(request);
    request.credential = OPEN_CREDENTIAL;
  });
}

function refuseStrangers({ headers, method }: FastifyRequest): void {
  if (headers.host !== undefined && !LOCAL.test(headers.host)) {
    const message = 'without credentials the API answers to names of this machine only';
    throw new PawlError('FORBIDDEN', message);
  }
  const { origin, 'sec-fetch-site': site } = headers;
  const isForeign =
    (origin !== undefined && hostIn(origin) !== hostIn(`http://${headers.host}`)) ||
    (site !== undefined && site !== 'same-origin' && site !== 'none');
  const isSafe = method === 'GET' || method === 'HEAD';
  if (isForeign && !(isSafe && origin === undefined)) {
    throw new PawlError('FORBIDDEN', 'requests from pages of another origin are refused');
  }
}

function hostIn(url: string): string | null {
  return URL.canParse(url) ? new URL(url).host : null;
}
