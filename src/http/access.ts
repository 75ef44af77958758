import type { FastifyInstance, FastifyRequest } from 'fastify';
import { PawlError } from '../core/errors.ts';
import type { Authenticator } from '../auth/authenticator.ts';
import { GUEST_CREDENTIAL, OPEN_CREDENTIAL } from '../auth/credential.ts';
import type { Scope } from '../auth/role.ts';

/** Routes that tell nothing about anybody's jobs. */
export const PUBLIC = 'public';

/**
 * The one table of what each route needs. A route that is not listed is refused to everybody once
 * credentials are asked for.
 */
export const ROUTE_SCOPES: Readonly<Record<string, Scope | typeof PUBLIC>> = {
  'GET /': PUBLIC,
  'GET /mark.svg': PUBLIC,
  'GET /assets/:file': PUBLIC,
  'GET /v1/page': PUBLIC,
  'GET /livez': PUBLIC,
  'GET /readyz': PUBLIC,
  'GET /openapi.json': PUBLIC,
  'GET /docs': PUBLIC,
  'GET /docs/style.css': PUBLIC,
  'GET /metrics': 'metrics:read',
  'GET /v1/slo': 'metrics:read',
  'GET /v1/lifecycles': 'types:read',
  'GET /v1/lifecycles/:name': 'types:read',
  'GET /v1/types': 'types:read',
  'GET /v1/types/:type': 'types:read',
  'PUT /v1/types/:type': 'types:write',
  'POST /v1/jobs': 'jobs:write',
  'POST /v1/jobs/batch': 'jobs:write',
  'POST /v1/jobs/:id/submit': 'jobs:write',
  'GET /v1/jobs': 'jobs:read',
  'GET /v1/jobs/:id': 'jobs:read',
  'GET /v1/jobs/:id/why': 'jobs:read',
  'GET /v1/jobs/:id/events': 'jobs:read',
  'GET /v1/jobs/:id/result': 'jobs:read',
  'GET /v1/jobs/:id/input': 'jobs:read',
  'GET /v1/jobs/:id/tree': 'jobs:read',
  'GET /v1/jobs/:id/messages': 'jobs:read',
  'GET /v1/jobs/:id/waits/:name/results': 'jobs:read',
  'POST /v1/jobs/:id/messages': 'jobs:write',
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
  'GET /v1/dlq': 'dlq:read',
  'GET /v1/dlq/:id': 'dlq:read',
  'POST /v1/dlq/:id/replay': 'dlq:replay',
  'POST /v1/dlq/replay': 'dlq:replay',
  'GET /v1/queues': 'queues:read',
  'GET /v1/queues/:name': 'queues:read',
  'PATCH /v1/queues/:name': 'queues:write',
  'GET /v1/workers': 'queues:read',
  'PUT /v1/workers/:name': 'work',
  'GET /v1/providers': 'metrics:read',
  'GET /v1/schedules': 'schedules:read',
  'GET /v1/schedules/:name': 'schedules:read',
  'POST /v1/schedules': 'schedules:write',
  'PUT /v1/schedules/:name': 'schedules:write',
  'DELETE /v1/schedules/:name': 'schedules:write',
  'POST /v1/schedules/:name/pause': 'schedules:write',
  'POST /v1/schedules/:name/resume': 'schedules:write',
  'POST /v1/schedules/:name/run': 'schedules:write',
  'GET /v1/schedules/:name/history': 'schedules:read',
  'GET /v1/webhooks': 'webhooks:read',
  'GET /v1/webhooks/:id': 'webhooks:read',
  'POST /v1/webhooks': 'webhooks:write',
  'PATCH /v1/webhooks/:id': 'webhooks:write',
  'DELETE /v1/webhooks/:id': 'webhooks:write',
  'POST /v1/webhooks/:id/rotate': 'webhooks:write',
  'POST /v1/webhooks/:id/test': 'webhooks:write',
  'GET /v1/webhooks/:id/deliveries': 'webhooks:read',
  'GET /v1/webhooks/:id/deliveries/:deliveryId': 'webhooks:read',
  'POST /v1/webhooks/:id/deliveries/:deliveryId/redeliver': 'webhooks:write',
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
  'POST /v1/artifacts': 'artifacts:write',
  // The signature of the link is the credential here.
  'GET /v1/artifacts/:id': PUBLIC,
  'GET /v1/artifacts/:id/link': 'artifacts:read',
  'GET /v1/jobs/:id/artifacts': 'artifacts:read',
  'PUT /v1/jobs/:id/artifacts/:name': 'work',
  'GET /v1/keys': 'keys:admin',
  'GET /v1/keys/:id': 'keys:admin',
  'POST /v1/keys': 'keys:admin',
  'POST /v1/keys/:id/rotate': 'keys:admin',
  'POST /v1/keys/:id/revoke': 'keys:admin',
  'GET /conformance': PUBLIC,
  'GET /ogc/api': PUBLIC,
  'GET /processes': 'types:read',
  'GET /processes/:processId': 'types:read',
  'POST /processes/:processId/execution': 'jobs:write',
  'GET /jobs': 'jobs:read',
  'GET /jobs/:jobId': 'jobs:read',
  'GET /jobs/:jobId/results': 'jobs:read',
  'GET /jobs/:jobId/results/:outputId': 'jobs:read',
  'DELETE /jobs/:jobId': 'jobs:cancel',
  'GET /v1/audit': 'audit:read',
  'GET /v1/doctor': 'audit:read',
  'GET /v1/doctor/verify': 'audit:read',
};

/** Routes that let callers without a credential in, and see by themselves what is for them. */
const GUEST_ROUTES: ReadonlySet<string> = new Set([
  'GET /processes',
  'GET /processes/:processId',
  'POST /processes/:processId/execution',
  'GET /jobs/:jobId',
  'GET /jobs/:jobId/results',
  'GET /jobs/:jobId/results/:outputId',
  'DELETE /jobs/:jobId',
]);

/** The name of a route in the tables: some are there with a slash at their end too. */
function routeName(method: string, url: string): string {
  const verb = method === 'HEAD' ? 'GET' : method;
  return `${verb} ${url.length > 1 && url.endsWith('/') ? url.slice(0, -1) : url}`;
}

/** The table's word on a route; null for one that it does not list. */
export function scopeOfRoute(method: string, url: string): Scope | typeof PUBLIC | null {
  return ROUTE_SCOPES[routeName(method, url)] ?? null;
}

/** Asks every request for its credential and for the scope that its route needs. */
export function requireAccess(app: FastifyInstance, authenticator: Authenticator): void {
  app.addHook('onRequest', async (request) => {
    if (request.is404) return;
    const { url = '' } = request.routeOptions;
    const scope = scopeOfRoute(request.method, url);
    if (scope === PUBLIC) return;
    const isNameless = request.headers.authorization === undefined;
    if (isNameless && GUEST_ROUTES.has(routeName(request.method, url))) {
      request.credential = GUEST_CREDENTIAL;
      return;
    }
    const credential = await authenticator.authenticate(request.headers.authorization);
    request.credential = credential;
    if (scope !== null && credential.scopes.has(scope)) return;
    const message =
      scope === null ? 'nobody may use this' : `this needs the scope ${scope}, which is not given`;
    throw new PawlError('FORBIDDEN', message);
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
    throw new PawlError('FORBIDDEN', 'a page of another origin may not use the API');
  }
}

function hostIn(url: string): string | null {
  return URL.canParse(url) ? new URL(url).host : null;
}
