import { isTerminal, type Job, PawlError } from 'pawl/define';
import { apiActor } from 'pawl/plugin';
import { failureOf, OgcException, resultNotReady } from './exception.ts';
import { listIn, type Query } from './job-filter.ts';
import {
  fetchedOutput,
  fetchedResults,
  isNegotiated,
  type ResultsWish,
} from './negotiated-results.ts';
import { readPreferences } from './prefer.ts';
import { toldStatus } from './told-status.ts';
import { asksForPage, eitherAnswer, jsonAnswer, pageAnswer } from './negotiate.ts';
import { jobPage, resultsPage } from './pages.ts';
import { answerWith, documentIn, oneOutput, shapeOutput, shapeResults } from './results.ts';
import {
  baseOf,
  findJob,
  isRemote,
  type KnownJob,
  type OgcDependencies,
  type OgcRequest,
} from './dependencies.ts';
import { untilNews, waitUntil } from './waiting.ts';

/** How long a handler that is asked to stop may take before its job is taken away from it. */
const STOP_MS = 5_000;
const VARY = { vary: 'accept' };

function jobIdOf(request: OgcRequest): string {
  return (request.params as { jobId: string }).jobId;
}

/** `GET /jobs/{jobId}` */
export async function readStatus(deps: OgcDependencies, request: OgcRequest): Promise<Response> {
  const { job, source } = await findJob(deps, request, jobIdOf(request));
  const status = toldStatus(deps, { job, source }, baseOf(deps, request));
  const answer = eitherAnswer(request, status, jobPage);
  const headers = Object.entries(await untilNews(deps, { job, source }));
  for (const [name, value] of headers) answer.headers.set(name, value);
  return answer;
}

/** `GET /jobs/{jobId}/results`: as the execution asked for them. */
export async function readResults(deps: OgcDependencies, request: OgcRequest): Promise<Response> {
  const { job, source } = await findJob(deps, request, jobIdOf(request));
  refuseUnready({ job, source });
  const base = baseOf(deps, request);
  const results = await source.results(request.caller, job, base);
  const document = asksForPage(request) ? documentIn(results, job, base) : null;
  if (document !== null) return pageAnswer(resultsPage(job.id, document));
  if (!isNegotiated(job)) return answerWith(shapeResults(results, job, base), VARY);
  const ids = listIn(request.query as Query, 'outputs');
  return answerWith(fetchedResults(results, { job, base, ids }, wishOf(request)), VARY);
}

/** `GET /jobs/{jobId}/results/{outputId}`: where outputs by reference are. */
export async function readOutput(deps: OgcDependencies, request: OgcRequest): Promise<Response> {
  const { job, source } = await findJob(deps, request, jobIdOf(request));
  refuseUnready({ job, source });
  const { outputId } = request.params as { outputId: string };
  const base = baseOf(deps, request);
  if (isNegotiated(job) && source.output === undefined) {
    const results = await source.results(request.caller, job, base);
    return answerWith(fetchedOutput(results, { job, id: outputId }, wishOf(request)), VARY);
  }
  const shaped =
    source.output === undefined
      ? oneOutput(await source.results(request.caller, job, base), outputId)
      : shapeOutput(await source.output(request.caller, job, outputId));
  if (shaped !== null) return answerWith(shaped, VARY);
  const detail = `job ${job.id} has no output "${outputId}": see its results`;
  const body = { type: 'urn:pawl:error:NOT_FOUND', title: 'no such output', status: 404, detail };
  throw new OgcException(body);
}

function wishOf({ headers }: OgcRequest): ResultsWish {
  const { returns } = readPreferences(headers.get('prefer'));
  return { accept: headers.get('accept'), returns };
}

function refuseUnready({ job, source }: Pick<KnownJob, 'job' | 'source'>): void {
  if (!isTerminal(job.phase)) throw resultNotReady(job);
  if (job.phase !== 'succeeded') throw failureOf(job, { isRemote: isRemote(source, job) });
}

/** `DELETE /jobs/{jobId}`: ends a job that has not ended, and removes one that has. */
export async function dismiss(deps: OgcDependencies, request: OgcRequest): Promise<Response> {
  const known = await findJob(deps, request, jobIdOf(request));
  if (known.access !== 'all') {
    const message = `the job ${known.job.id} is shared with you to be read: ask its owner`;
    throw new PawlError('FORBIDDEN', message);
  }
  const ended = isTerminal(known.job.phase)
    ? await remove(deps, request, known)
    : await stop(deps, request, known.job);
  const { source } = known;
  return jsonAnswer(toldStatus(deps, { job: ended, source }, baseOf(deps, request)));
}

/** For who may erase; a repeated dismissal is for everybody who may dismiss. */
async function remove(
  { engine }: OgcDependencies,
  { caller }: OgcRequest,
  { job, source }: KnownJob,
): Promise<Job> {
  const isDismissed = job.phase === 'cancelled';
  if (!caller.scopes.has('jobs:erase')) {
    if (isDismissed) return job;
    const message = `job ${job.id} has ended: to remove it takes the scope jobs:erase`;
    throw new PawlError('FORBIDDEN', message);
  }
  await source.release?.(job);
  await engine.erase(job, apiActor(caller.principal));
  // The standard knows one word for what was deleted.
  return { ...job, state: 'dismissed', phase: 'cancelled' };
}

/** Asks whoever works on a job to stop, and insists after a while. */
async function stop(deps: OgcDependencies, request: OgcRequest, job: Job): Promise<Job> {
  const { tenant, id } = job;
  const asked = {
    ref: { tenant, id },
    actor: apiActor(request.caller.principal),
    reason: 'dismissed',
  };
  const [soft] = await deps.engine.cancel([{ ...asked, mode: 'soft' }]);
  if (soft!.kind === 'refused') throw soft!.error;
  const isOver = ({ phase }: Job): boolean => isTerminal(phase);
  const { signal } = request;
  const seen = await waitUntil(deps, job, { ms: STOP_MS, signal, isOver });
  if (isOver(seen)) return seen;
  const [hard] = await deps.engine.cancel([{ ...asked, mode: 'hard' }]);
  if (hard!.kind === 'refused') throw hard!.error;
  return hard!.job;
}
