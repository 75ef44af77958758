import { KEPT_NAME_MAX } from 'pawl/internal/core/bounds';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import {
  fastify,
  type FastifyInstance,
  type FastifyPluginCallback,
  type FastifyRequest,
} from 'fastify';
import type { Credential } from 'pawl/internal/contract/credential';
import type { Authenticator } from '../auth/authenticator.ts';
import { type Random, systemRandom } from 'pawl/internal/core/random';
import type { DoctorDependencies } from 'pawl/internal/doctor/facts';
import type { Engine } from 'pawl/internal/engine/engine';
import type { PluginCheck, PluginMetric } from 'pawl/internal/plugin/plugin';
import { Meter } from '../metrics/meter.ts';
import type { SloDependencies } from '../slo/report.ts';
import { admitBy, admitLocals, requireAccess } from './access.ts';
import type { ArtifactServices } from './artifact-view.ts';
import { artifactRoutes } from './artifacts.ts';
import { RemoteWorkers } from './remote-workers.ts';
import { keepAudit } from './audit-trail.ts';
import { mountAt } from './base-path.ts';
import { batch } from './batch.ts';
import { badAddress } from './bad-address.ts';
import { BODY_DEADLINES, type BodyDeadlines, boundBodies } from './body-deadline.ts';
import { bulk } from './bulk.ts';
import { bulkOperations } from './bulk-operations.ts';
import { closeSwiftly } from './closing.ts';
import {
  answerOddRequests,
  boundConnections,
  CONNECTION_LIMITS,
  type ConnectionLimits,
  lingerAfterRefusals,
  onClientError,
} from './connections.ts';
import { allowOrigins } from './cors.ts';
import { deadLetters } from './dead-letters.ts';
import { serveDocs } from './docs.ts';
import { doctor } from './doctor.ts';
import { markAnswers, requestIdOf, requireOneHost } from './edge.ts';
import { events } from './events.ts';
import type { Services, Resource } from './services.ts';
import { failure } from './failure.ts';
import { failures } from './failures.ts';
import { firehose } from './firehose.ts';
import { flows } from './flows.ts';
import { health } from './health.ts';
import { history } from './history.ts';
import { input } from './input.ts';
import { job } from './job.ts';
import { jobAccess } from './job-access.ts';
import { jobTypes } from './job-types.ts';
import { jobs } from './jobs.ts';
import { acceptJson } from './json-body.ts';
import { keys } from './keys.ts';
import { sparseAnswers } from './large-answers.ts';
import { lifecycles } from './lifecycles.ts';
import { LOAD_LIMITS, type LoadLimits, shedLoad } from './load-shedding.ts';
import { LogWindow } from './log-window.ts';
import { me } from './me.ts';
import { search } from './search.ts';
import { collectRoutes } from './openapi.ts';
import { operations } from './operations.ts';
import { past } from './past.ts';
import { whatIf } from './what-if.ts';
import { cells } from './cells.ts';
import { tenantMoves } from './tenant-moves.ts';
import { problemSender } from './problem.ts';
import { queues } from './queues.ts';
import { logRequests, type RequestLog } from './request-log.ts';
import { limitRates, type RateLimit, RateLimiter } from './rate-limit.ts';
import { keepReach, requireReach } from './reach.ts';
import { tellPositions } from './replica-reads.ts';
import { reruns } from './reruns.ts';
import { workerList } from './worker-list.ts';
import { scheduleRuns } from './schedule-runs.ts';
import { schedules } from './schedules.ts';
import { settling } from './settling.ts';
import { slo } from './slo.ts';
import { STREAM_LIMITS, StreamGate, type StreamLimits } from './sse.ts';
import { ServerStatus } from './status.ts';
import { serveMetrics } from './metrics.ts';
import { trees } from './trees.ts';
import { traceRequests } from './trace-requests.ts';
import { requireLeaseTokens } from './lease-tokens.ts';
import { messageLinkRoutes } from './message-links.ts';
import { answerProblems } from './unknown-route.ts';
import { registerFormats, validatorCompiler } from './validation.ts';
import { workers } from './workers.ts';

export interface ServerOptions {
  readonly engine: Engine;
  /** What the doctor examines. */
  readonly doctor: DoctorDependencies;
  /** Where the counts and targets of the SLO reports are read. */
  readonly slo: SloDependencies;
  /** Null or left out: no credentials are asked for, which is for the own machine only. */
  readonly authenticator?: Authenticator | null;
  /** Says who asks, instead of credentials: behind access control of somebody else. */
  readonly admit?: (request: FastifyRequest) => Credential | null;
  /** The path of another server that this one is mounted at, the root being the empty text. */
  readonly basePath?: string;
  readonly status?: ServerStatus;
  readonly bodyBytesMax?: number;
  readonly deadlines?: Partial<BodyDeadlines>;
  readonly connections?: Partial<ConnectionLimits>;
  /** Whose pages may use the API, such as `https://app.example.com`; left out: nobody's. */
  readonly corsOrigins?: readonly string[];
  /** Whether owners of jobs must send the token of their claim. */
  readonly requiresLeaseTokens?: boolean;
  readonly streams?: Partial<StreamLimits>;
  readonly load?: Partial<LoadLimits>;
  /** Requests per credential; null for no limit. */
  readonly rate?: RateLimit | null;
  readonly random?: Random;
  readonly warn?: (message: string, facts: Readonly<Record<string, unknown>>) => void;
  /** Where artifacts are kept; left out, the API has none. */
  readonly artifacts?: ArtifactServices | null;
  /** Lines about requests; left out, there are none. */
  readonly log?: Partial<RequestLog>;
  /** What is told at `/metrics`; left out, this server's requests alone. */
  readonly meter?: Meter;
  /** What plug-ins add to the doctor, by names of their own. */
  readonly pluginChecks?: readonly PluginCheck[];
  /** Gauges that plug-ins add to the metrics. */
  readonly pluginMetrics?: readonly PluginMetric[];
  /** Scopes that plug-ins declare, which keys may be narrowed to. */
  readonly pluginScopes?: readonly string[];
  /** Routes of other parts of the platform. */
  readonly more?: readonly FastifyPluginCallback[];
}

const BODY_BYTES_MAX = 1_048_576;
/** A kept name of any letters, each of which may take nine characters in an address. */
const PARAM_LENGTH_MAX = 9 * KEPT_NAME_MAX;

/** How long a request may take at the very most, and a caller to send another one. */
const REQUEST_MS_MAX = 6 * 3_600_000;
const KEEP_ALIVE_MS = 72_000;

const RESOURCES: readonly Resource[] = [
  jobs,
  batch,
  job,
  input,
  jobAccess,
  events,
  firehose,
  operations,
  bulk,
  workers,
  workerList,
  settling,
  flows,
  trees,
  jobTypes,
  lifecycles,
  deadLetters,
  failures,
  failure,
  bulkOperations,
  reruns,
  queues,
  schedules,
  scheduleRuns,
  slo,
  history,
  past,
  whatIf,
  cells,
  tenantMoves,
  me,
  search,
  keys,
  doctor,
  health,
];

/** How often the server looks for connections that are too slow. */
const LOOK_MS_MAX = 5_000;

function bareServer(options: ServerOptions): FastifyInstance {
  const { headMs } = { ...BODY_DEADLINES, ...options.deadlines };
  return fastify({
    logger: false,
    bodyLimit: options.bodyBytesMax ?? BODY_BYTES_MAX,
    requestTimeout: REQUEST_MS_MAX,
    keepAliveTimeout: KEEP_ALIVE_MS,
    http: {
      headersTimeout: headMs,
      connectionsCheckingInterval: Math.min(headMs, LOOK_MS_MAX),
      // Refused in our own words, with the requests that name two.
      requireHostHeader: false,
    },
    routerOptions: { maxParamLength: PARAM_LENGTH_MAX },
    clientErrorHandler: onClientError,
    frameworkErrors: badAddress(problemSender(options.warn ?? (() => undefined))),
    requestIdHeader: false,
    genReqId: requestIdOf,
    return503OnClosing: false,
  });
}

/** What happens to every request before its route sees it: the cheapest refusals come first. */
function guard(app: FastifyInstance, options: ServerOptions): void {
  const { authenticator = null, rate = null } = options;
  app.decorateRequest('credential', null);
  markAnswers(app);
  const { perAddressMax, lingerMs } = { ...CONNECTION_LIMITS, ...options.connections };
  lingerAfterRefusals(app, lingerMs);
  if (perAddressMax !== null) boundConnections(app, perAddressMax);
  sparseAnswers(app);
  requireOneHost(app);
  if (options.basePath !== undefined) mountAt(app, options.basePath);
  const { corsOrigins = [], requiresLeaseTokens = false } = options;
  if (corsOrigins.length > 0) allowOrigins(app, corsOrigins);
  if (requiresLeaseTokens) requireLeaseTokens(app);
  traceRequests(app);
  if (options.log !== undefined) logRequests(app, options.log);
  shedLoad(app, { ...LOAD_LIMITS, ...options.load });
  boundBodies(app, { ...BODY_DEADLINES, ...options.deadlines });
  if (options.admit !== undefined) admitBy(app, options.admit);
  else if (authenticator === null) admitLocals(app);
  else requireAccess(app, authenticator);
  keepReach(app, options.engine);
  keepAudit(app, options.engine);
  tellPositions(app, options.engine);
  if (rate !== null) limitRates(app, new RateLimiter(rate, () => performance.now()));
}

function servicesOf(options: ServerOptions): Services {
  const { engine, authenticator = null } = options;
  const { live } = engine;
  const window = new LogWindow();
  live.attach(window);
  return {
    engine,
    live,
    doctor: options.doctor,
    slo: options.slo,
    pluginChecks: options.pluginChecks ?? [],
    pluginScopes: options.pluginScopes ?? [],
    window,
    streams: new StreamGate({ ...STREAM_LIMITS, ...options.streams }),
    random: options.random ?? systemRandom,
    status: options.status ?? new ServerStatus(),
    remoteWorkers: new RemoteWorkers(engine),
    artifacts: options.artifacts ?? null,
    recheck: async (request) => {
      await authenticator?.authenticate(request.headers.authorization, request.ip);
      await requireReach(engine, request);
    },
  };
}

/** The HTTP API of an engine. The caller listens and closes. */
export async function buildServer(options: ServerOptions): Promise<FastifyInstance> {
  registerFormats();
  const app = bareServer(options);
  app.setValidatorCompiler(validatorCompiler);
  // Answers are built from typed views: serialising by schema would silently drop members.
  app.setSerializerCompiler(() => (data) => JSON.stringify(data));
  acceptJson(app);
  closeSwiftly(app);
  answerOddRequests(app);
  guard(app, options);
  // A POST that needs nothing more than its address may leave the body out.
  app.addHook('preValidation', async (request) => {
    if (request.method === 'POST' && request.body === undefined) request.body = {};
  });
  const found = collectRoutes(app);
  answerProblems(app, found, problemSender(options.warn ?? (() => undefined)));
  const typed = app.withTypeProvider<TypeBoxTypeProvider>();
  const services = servicesOf(options);
  const meter = options.meter ?? new Meter({ withProcess: false });
  for (const metric of options.pluginMetrics ?? []) meter.addGauge(metric);
  serveMetrics(app, meter, services.streams);
  for (const resource of RESOURCES) await typed.register(resource, services);
  const deadlines = { ...BODY_DEADLINES, ...options.deadlines };
  if (services.artifacts !== null)
    await app.register(artifactRoutes(services.artifacts, deadlines));
  await app.register(messageLinkRoutes(services.engine.flows));
  for (const plugin of options.more ?? []) await app.register(plugin);
  const isOpen = options.admit === undefined && (options.authenticator ?? null) === null;
  serveDocs(app, found, isOpen);
  await app.ready();
  return app;
}
