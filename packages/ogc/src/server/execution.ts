import { invalid, isTerminal, type Job, keptTrace } from 'pawl/define';
import { largeSink, ownKey } from 'pawl/plugin';
import type { ProcessDescription } from '../model/process-description.ts';
import type { ExecuteRequest, PreparedJob, ProcessSource } from '../model/process-source.ts';
import { deliveriesIn, deliveringJob, withoutDeliveries } from './delivery.ts';
import { failureOf, noSuchProcess, retryAfterOf } from './exception.ts';
import { checkAskedOutputs, readExecuteRequest } from './execute-request.ts';
import { isOfVersion1, recordOf } from './execution-record.ts';
import { jsonAnswer } from './negotiate.ts';
import { executedResults, isNegotiated } from './negotiated-results.ts';
import { type Mode, modeOf, readPreferences } from './prefer.ts';
import { answerWith, shapeResults } from './results.ts';
import {
  baseOf,
  findProcess,
  isGuest,
  isRemote,
  type KnownProcess,
  type OgcDependencies,
  type OgcRequest,
  type OgcServerSettings,
  sourceOf,
} from './dependencies.ts';
import { toldStatus } from './told-status.ts';
import { untilNews, waitUntil } from './waiting.ts';

/** How long an asynchronous answer waits to hear whether a provider takes the job on. */
const TAKE_ON_MS = 30_000;

/** `POST /processes/{id}/execution`: checked, made durable, then answered as it was asked. */
export async function execute(deps: OgcDependencies, request: OgcRequest): Promise<Response> {
  const { processId } = request.params as { processId: string };
  const process = await findProcess(deps, request, processId);
  const asked = readExecuteRequest(request.body);
  checkAskedOutputs(asked, process.description);
  await checkSubscriber(deps, asked);
  const prepared = await prepare(deps, request, { processId, process, asked });
  const job = await accept(deps, request, { asked, prepared });
  // A deployed process may be carried out by jobs of another source.
  const source = (await sourceOf(deps, job)) ?? process.source;
  source.wake?.(job.type);
  const wish = readPreferences(request.headers.get('prefer'));
  const options = process.description.jobControlOptions ?? [];
  const mode = modeOf(options, wish, deps.settings.syncWaitMs);
  const seen = await waitFor(deps, request, { job, mode, source });
  return answer({ deps, request, source }, seen, mode);
}

interface Asked {
  readonly processId: string;
  readonly process: KnownProcess;
  readonly asked: ExecuteRequest;
}

/** The job of the process itself, or one around it that delivers its outputs in another form. */
async function prepare(
  { settings }: OgcDependencies,
  request: OgcRequest,
  { processId, process: { source, description }, asked }: Asked,
): Promise<PreparedJob> {
  const hasPostgis = settings.postgis !== null && !isGuest(request);
  const deliveries = deliveriesIn(asked, description, { hasPostgis });
  const sent =
    deliveries === null
      ? shaped(asked, description, settings)
      : withoutDeliveries(asked, deliveries);
  const prepared = await source.prepare(request.caller, processId, sent);
  if (prepared === null) throw noSuchProcess(processId);
  return deliveries === null ? prepared : deliveringJob(prepared, { processId, deliveries });
}

/** By the draft several outputs are one document: a provider of 1.0 has to be asked for it. */
function shaped(
  asked: ExecuteRequest,
  { outputs: known }: ProcessDescription,
  { isDraft2 }: OgcServerSettings,
): ExecuteRequest {
  if (!isDraft2 || isOfVersion1(asked)) return asked;
  const isOne = Object.keys(asked.outputs ?? known).length === 1;
  return isOne ? asked : { ...asked, response: 'document' };
}

/** Callbacks go out through the guarded client: one that it would refuse is refused here. */
async function checkSubscriber({ outgoing }: OgcDependencies, { subscriber }: ExecuteRequest) {
  for (const [name, url] of Object.entries(subscriber ?? {})) {
    await outgoing.check(String(url)).catch((error: unknown) => {
      const message = `cannot be used as an address: ${(error as Error).message}`;
      throw invalid([{ pointer: `/subscriber/${name}`, message }]);
    });
  }
}

async function accept(
  deps: OgcDependencies,
  request: OgcRequest,
  { asked, prepared }: { asked: ExecuteRequest; prepared: PreparedJob },
): Promise<Job> {
  const { type, input, metadata = {}, inlineBytesMax } = prepared;
  const isGuests = isGuest(request);
  const { isDraft2 } = deps.settings;
  const record = { base: baseOf(deps, request), isGuests, isDraft2 };
  const key = request.headers.get('idempotency-key');
  const traceId = keptTrace(request.headers.get('traceparent') ?? '');
  const wish = {
    type,
    input,
    metadata: { ...metadata, ...recordOf(asked, record) },
    // Nobody may find somebody else's job by guessing a key.
    ...(key === null ? {} : { idempotencyKey: ownKey(request.caller, key) }),
    ...(traceId === null ? {} : { traceId }),
  };
  const sink = largeSink(deps.engine, deps.access, inlineBytesMax);
  const { tenant, principal } = request.caller;
  const [result] = await sink.enqueue([wish], { caller: { tenant, principal } });
  if (result!.kind === 'refused') throw result!.error;
  return result!.job;
}

interface Begun {
  readonly job: Job;
  readonly mode: Mode;
  readonly source: ProcessSource;
}

function waitFor(deps: OgcDependencies, request: OgcRequest, begun: Begun): Promise<Job> {
  const { job, mode, source } = begun;
  const { signal } = request;
  const isOver = ({ phase }: Job): boolean => isTerminal(phase);
  if (mode.kind === 'sync') return waitUntil(deps, job, { ms: mode.waitMs, signal, isOver });
  if (source.isTakenOn === undefined) return Promise.resolve(job);
  const isTakenOn = (one: Job): boolean => isOver(one) || source.isTakenOn!(one);
  return waitUntil(deps, job, { ms: TAKE_ON_MS, signal, isOver: isTakenOn });
}

interface Answering {
  readonly deps: OgcDependencies;
  readonly request: OgcRequest;
  readonly source: ProcessSource;
}

/** A job that goes on after the wait is told by its status, whatever was wished. */
async function answer(at: Answering, job: Job, mode: Mode): Promise<Response> {
  const { deps, request, source } = at;
  const base = baseOf(deps, request);
  const location = `${base}/jobs/${job.id}`;
  const isAsync = mode.kind === 'async' || !isTerminal(job.phase);
  const isBad = isTerminal(job.phase) && job.phase !== 'succeeded';
  const isElsewhere = isRemote(source, job);
  if (isBad && (mode.kind === 'sync' || isElsewhere)) {
    throw failureOf(job, { isRemote: isElsewhere, headers: { location, ...retryAfterOf(job) } });
  }
  if (isAsync) {
    const wish = readPreferences(request.headers.get('prefer'));
    const applied = mode.kind === 'async' ? mode.applied : wish.isAsync ? 'respond-async' : null;
    const headers = {
      location,
      ...preferenceApplied(applied),
      ...(await untilNews(deps, { job, source })),
    };
    return jsonAnswer(toldStatus(deps, { job, source }, base), { status: 201, headers });
  }
  return syncAnswer(at, job, { location, applied: mode.applied });
}

function preferenceApplied(applied: string | null): Record<string, string> {
  return applied === null ? {} : { 'preference-applied': applied };
}

async function syncAnswer(
  { deps, request, source }: Answering,
  job: Job,
  { location, applied }: { location: string; applied: string | null },
): Promise<Response> {
  const base = baseOf(deps, request);
  const results = await source.results(request.caller, job, base);
  const { returns } = readPreferences(request.headers.get('prefer'));
  const isByDraft = isNegotiated(job);
  const shaped = isByDraft
    ? executedResults(results, { job, base }, { accept: request.headers.get('accept'), returns })
    : shapeResults(results, job, base);
  const form = deps.settings.monitorLink;
  // Beside other links it can only be written as all links are.
  const isPlain = form === 'plain' && shaped.links.length === 0;
  const monitor = isPlain ? `${location}; rel=monitor` : `<${location}>; rel=monitor`;
  const links = [...shaped.links, ...(form === 'none' ? [] : [monitor])];
  const kept = isByDraft && returns !== null ? [`return=${returns}`] : [];
  const all = [...(applied === null ? [] : [applied]), ...kept];
  return answerWith({ ...shaped, links }, preferenceApplied(all.join(', ') || null));
}
