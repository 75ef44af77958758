import type { FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify';
import type { EngineLog } from 'pawl/plugin';
import { exceptionSender } from './exception.ts';
import { execute } from './execution.ts';
import { dismiss, readOutput, readResults, readStatus } from './job.ts';
import { listJobs } from './job-list.ts';
import { API_PATH, conformance, OPENAPI_TYPE } from './landing.ts';
import { asksForPage, sendEither, sendPage } from './negotiate.ts';
import { ogcOpenApi } from './openapi.ts';
import { apiPage, conformancePage } from './pages.ts';
import { describeProcess, listProcesses } from './processes.ts';
import { baseOf, type OgcDependencies } from './dependencies.ts';

type Answer = (
  deps: OgcDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
) => FastifyReply | Promise<FastifyReply>;

/** Features and pictures come with the request, which is then kept outside the database. */
const EXECUTION_BYTES_MAX = 16 * 1024 * 1024;
const EXECUTION_LIMITS = { keysMax: 1_000_000, stringMax: EXECUTION_BYTES_MAX };

/** Headers that pages of other origins may read. */
const EXPOSED = 'Location, Link, Preference-Applied, Retry-After';

const READS: Readonly<Record<string, Answer>> = {
  '/conformance': (_deps, _request, reply) => sendEither(reply, conformance(), conformancePage),
  [API_PATH]: readApi,
  '/processes': listProcesses,
  '/processes/:processId': describeProcess,
  '/jobs': listJobs,
  '/jobs/:jobId': readStatus,
  '/jobs/:jobId/results': readResults,
  '/jobs/:jobId/results/:outputId': readOutput,
};

function readApi(
  deps: OgcDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const document = ogcOpenApi(baseOf(deps, request));
  if (asksForPage(request)) return sendPage(reply, apiPage(document));
  const body = Buffer.from(JSON.stringify(document));
  // Bytes: a text would have a charset added, which this media type does not know.
  return reply.header('vary', 'accept').header('content-type', OPENAPI_TYPE).send(body);
}

/** The routes of OGC API – Processes, which speak its language in errors too. */
export function ogcRoutes(
  deps: OgcDependencies,
  warn: EngineLog['warn'] = () => undefined,
): FastifyPluginCallback {
  // They have a document of their own, in the version of OpenAPI that the standard asks for.
  const schema = { describedElsewhere: true };
  return (app, _options, done) => {
    app.setErrorHandler(exceptionSender((message, facts) => warn(message, facts)));
    app.addHook('onRequest', async (_request, reply) => {
      void reply.header('access-control-expose-headers', EXPOSED);
    });
    for (const [url, answer] of Object.entries(READS)) {
      bothWays(url, (one) => {
        app.get(one, { schema }, (request, reply) => answer(deps, request, reply));
      });
    }
    bothWays('/processes/:processId/execution', (url) => {
      const limits = { bodyLimit: EXECUTION_BYTES_MAX };
      const config = { isLong: true, ...EXECUTION_LIMITS };
      app.post(url, { schema, config, ...limits }, (request, reply) => {
        return execute(deps, request, reply);
      });
    });
    bothWays('/jobs/:jobId', (url) => {
      const config = { isLong: true };
      app.delete(url, { schema, config }, (request, reply) => dismiss(deps, request, reply));
    });
    done();
  };
}

/** Some clients end every address with a slash. */
function bothWays(url: string, register: (url: string) => void): void {
  register(url);
  register(`${url}/`);
}
