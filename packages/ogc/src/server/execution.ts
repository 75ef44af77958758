import { invalid, isTerminal, type Job, keptTrace } from 'pawl/define';
import { largeSink, ownKey } from 'pawl/plugin';
import type { ExecuteRequest, PreparedJob } from '../model/process-source.ts';
import { failureOf, noSuchProcess, retryAfterOf } from './exception.ts';
import { checkAskedOutputs, readExecuteRequest } from './execute-request.ts';
import { recordOf } from './execution-record.ts';
import { jsonAnswer } from './negotiate.ts';
import { type Mode, modeOf, readPreferences } from './prefer.ts';
import { answerWith, shapeResults } from './results.ts';
import {
  baseOf,
  findProcess,
  isGuest,
  type KnownProcess,
  type OgcDependencies,
  type OgcRequest,
} from './dependencies.ts';
import { untilNews, waitUntil } from './waiting.ts';

/** How long an asynchronous answer waits to hear whether a provider takes the job on. */
const TAKE_ON_MS = 30_000;

/** `POST /processes/{id}/execution`: checked, made durable, then answered as it was asked. */
export async function execute(deps: OgcDependencies, request: OgcRequest): Promise<Response> {
  const { processId } = request.params as { processId: string };
  const caller = request.caller;
  const process = await findProcess(deps, request, processId);
  const asked = readExecuteRequest(request.body);
  checkAskedOutputs(asked, process.description);
  await checkSubscriber(deps, asked);
  const prepared = await process.source.prepare(caller, processId, asked);
  if (prepared === null) throw noSuchProcess(processId);
  const job = await accept(deps, request, { asked, prepared });
  process.source.wake?.(job.type);
  const wish = readPreferences(request.headers.get('prefer'));
  const options = process.description.jobControlOptions ?? [];
  const mode = modeOf(options, wish, deps.settings.syncWaitMs);
  const seen = await waitFor(deps, request, { job, mode, process });
  return answer({ deps, request, process }, seen, mode);
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
  const record = { base: baseOf(deps, request), isGuests };
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
  readonly process: KnownProcess;
}

function waitFor(deps: OgcDependencies, request: OgcRequest, begun: Begun): Promise<Job> {
  const { job, mode, process } = begun;
  const { source } = process;
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
  readonly process: KnownProcess;
}

/** A job that goes on after the wait is told by its status, whatever was wished. */
async function answer(at: Answering, job: Job, mode: Mode): Promise<Response> {
  const { deps, request, process } = at;
  const base = baseOf(deps, request);
  const location = `${base}/jobs/${job.id}`;
  const isAsync = mode.kind === 'async' || !isTerminal(job.phase);
  const isBad = isTerminal(job.phase) && job.phase !== 'succeeded';
  const isRemote = process.source.isTakenOn !== undefined;
  if (isBad && (mode.kind === 'sync' || isRemote)) {
    throw failureOf(job, { isRemote, headers: { location, ...retryAfterOf(job) } });
  }
  if (isAsync) {
    const wish = readPreferences(request.headers.get('prefer'));
    const applied = mode.kind === 'async' ? mode.applied : wish.isAsync ? 'respond-async' : null;
    const headers = {
      location,
      ...preferenceApplied(applied),
      ...(await untilNews(deps, { job, source: process.source })),
    };
    return jsonAnswer(process.source.status(job, base), { status: 201, headers });
  }
  return syncAnswer(at, job, { location, applied: mode.applied });
}

function preferenceApplied(applied: string | null): Record<string, string> {
  return applied === null ? {} : { 'preference-applied': applied };
}

async function syncAnswer(
  { deps, request, process }: Answering,
  job: Job,
  { location, applied }: { location: string; applied: string | null },
): Promise<Response> {
  const results = await process.source.results(request.caller, job);
  const shaped = shapeResults(results, job, baseOf(deps, request));
  const form = deps.settings.monitorLink;
  // Beside other links it can only be written as all links are.
  const isPlain = form === 'plain' && shaped.links.length === 0;
  const monitor = isPlain ? `${location}; rel=monitor` : `<${location}>; rel=monitor`;
  const links = [...shaped.links, ...(form === 'none' ? [] : [monitor])];
  return answerWith({ ...shaped, links }, preferenceApplied(applied));
}
