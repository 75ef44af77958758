import type { EngineLog, PluginRoute } from 'pawl/plugin';
import { exceptionAnswer } from './exception.ts';
import { execute } from './execution.ts';
import { deploy, packageRefusal, readPackage, replace, undeploy } from './deployment.ts';
import { dismiss, readOutput, readResults, readStatus } from './job.ts';
import { listJobs } from './job-list.ts';
import { API_PATH, conformance, OPENAPI_TYPE } from './landing.ts';
import { asksForPage, eitherAnswer, pageAnswer } from './negotiate.ts';
import { ogcOpenApi } from './openapi.ts';
import { apiPage, conformancePage } from './pages.ts';
import { describeProcess, listProcesses } from './processes.ts';
import { baseOf, type OgcDependencies, type OgcRequest } from './dependencies.ts';

/** Features and pictures come with the request, which is then kept outside the database. */
const EXECUTION_BYTES_MAX = 16 * 1024 * 1024;

/** A description with its schemas; what it describes lies elsewhere. */
const PACKAGE_BYTES_MAX = 256 * 1024;

/** Headers that pages of other origins may read. */
const EXPOSED = 'Location, Link, Preference-Applied, Retry-After';

/** A route of the standard: who may use it, and what answers. */
interface OgcRoute extends Omit<PluginRoute, 'handle' | 'onError' | 'doc'> {
  readonly answer: (deps: OgcDependencies, request: OgcRequest) => Response | Promise<Response>;
  /** What is refused before the route is reached, in other words. */
  readonly refusalOf?: (error: unknown) => unknown;
}

/** They have a document of their own, in the version of OpenAPI that the standard asks for. */
const ROUTES: readonly OgcRoute[] = [
  { method: 'GET', path: '/conformance', scope: 'public', answer: readConformance },
  { method: 'GET', path: API_PATH, scope: 'public', answer: readApi },
  {
    method: 'GET',
    path: '/processes',
    scope: 'types:read',
    isGuestWelcome: true,
    answer: listProcesses,
  },
  {
    method: 'GET',
    path: '/processes/:processId',
    scope: 'types:read',
    isGuestWelcome: true,
    answer: describeProcess,
  },
  {
    method: 'POST',
    path: '/processes',
    scope: 'types:write',
    bodyBytesMax: PACKAGE_BYTES_MAX,
    refusalOf: packageRefusal,
    answer: deploy,
  },
  {
    method: 'PUT',
    path: '/processes/:processId',
    scope: 'types:write',
    bodyBytesMax: PACKAGE_BYTES_MAX,
    refusalOf: packageRefusal,
    answer: replace,
  },
  { method: 'DELETE', path: '/processes/:processId', scope: 'types:write', answer: undeploy },
  {
    method: 'GET',
    path: '/processes/:processId/package',
    scope: 'types:read',
    answer: readPackage,
  },
  {
    method: 'POST',
    path: '/processes/:processId/execution',
    scope: 'jobs:write',
    isGuestWelcome: true,
    bodyBytesMax: EXECUTION_BYTES_MAX,
    isLong: true,
    answer: execute,
  },
  { method: 'GET', path: '/jobs', scope: 'jobs:read', answer: listJobs },
  {
    method: 'GET',
    path: '/jobs/:jobId',
    scope: 'jobs:read',
    isGuestWelcome: true,
    answer: readStatus,
  },
  {
    method: 'GET',
    path: '/jobs/:jobId/results',
    scope: 'jobs:read',
    isGuestWelcome: true,
    answer: readResults,
  },
  {
    method: 'GET',
    path: '/jobs/:jobId/results/:outputId',
    scope: 'jobs:read',
    isGuestWelcome: true,
    answer: readOutput,
  },
  {
    method: 'DELETE',
    path: '/jobs/:jobId',
    scope: 'jobs:cancel',
    isGuestWelcome: true,
    isLong: true,
    answer: dismiss,
  },
];

function readConformance({ settings }: OgcDependencies, request: OgcRequest): Response {
  return eitherAnswer(request, conformance(settings), conformancePage);
}

function readApi(deps: OgcDependencies, request: OgcRequest): Response {
  const document = ogcOpenApi(baseOf(deps, request), deps.settings);
  if (asksForPage(request)) return pageAnswer(apiPage(document));
  // This media type knows no charset.
  const headers = { vary: 'accept', 'content-type': OPENAPI_TYPE };
  return new Response(JSON.stringify(document), { headers });
}

/** The routes of OGC API – Processes, which speak its language in errors too. */
export function ogcRoutes(deps: OgcDependencies, log: EngineLog): readonly PluginRoute[] {
  const exceptionOf = exceptionAnswer(log);
  return ROUTES.flatMap(({ answer, refusalOf = (error) => error, ...route }) => {
    const served: PluginRoute = {
      ...route,
      isReachKept: true,
      handle: async ({ headers }, context) => exposed(await answer(deps, { ...context, headers })),
      onError: (error, request, context) =>
        exposed(exceptionOf(refusalOf(error), request, context)),
    };
    // Some clients end every address with a slash.
    return [served, { ...served, path: `${route.path}/` }];
  });
}

function exposed(response: Response): Response {
  response.headers.set('access-control-expose-headers', EXPOSED);
  return response;
}
