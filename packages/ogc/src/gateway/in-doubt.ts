import { canonicalJson } from 'pawl/define';
import { readLinks } from '../model/link.ts';
import { readStatusInfo, type StatusInfo } from '../model/status-info.ts';
import { hasRel } from '../model/vocabulary.ts';
import { GatewayFailure, retryAfterIn, upstreamError } from './failures.ts';
import { statusUrlsOf } from './locations.ts';
import { jsonIn } from './provider-answer.ts';
import { ProviderUnreachable } from './provider-client.ts';
import type { Sending } from './remote-state.ts';
import type { Transience } from './retry.ts';
import type { Derivation } from './status-derivation.ts';
import type { Turn } from './turn.ts';

/** Clocks differ: a job may seem to be made a little before it was asked for. */
const SKEW_MS = 5_000;
const PAGES_MAX = 20;

/**
 * A request was sent and nobody knows whether it arrived. Returns the remote job where it is found,
 * or null where it may be sent again; throws where it must not be.
 */
export async function resolveDoubt(
  turn: Turn,
  sending: Sending,
  why: string,
): Promise<Derivation | null> {
  const { inDoubt } = turn.provider.settings;
  if (inDoubt === 'retry') return null;
  if (inDoubt === 'fail') {
    throw doubtful(turn, `${why}; set in_doubt to "retry" or "probe" to have it sent again`);
  }
  const entry = turn.deps.bounds.enter(turn.provider, turn.run.input.process, 'search');
  if (entry.kind === 'full') return turn.run.snooze(entry.waitMs);
  try {
    return await search(turn, sending, why);
  } finally {
    entry.leave();
  }
}

async function search(turn: Turn, sending: Sending, why: string): Promise<Derivation | null> {
  const candidates = await candidatesFor(turn, sending).catch((error: unknown) => {
    const what = `its list of jobs did not help: ${(error as Error).message}`;
    const remedy = 'set in_doubt to "retry" if it may be done twice';
    throw doubtful(turn, `${why}; ${what}; ${remedy}`, transienceOf(error));
  });
  const { id, type } = turn.run.job;
  const { sentAt } = sending;
  const inputs = inputsAsked(turn);
  const claimed = await turn.deps.claimed({ id, type, sentAt, inputs });
  const free = candidates.filter(({ status }) => !claimed.remoteIds.has(status.jobID));
  const [found, ...more] = free;
  if (found === undefined) return null;
  const isOpen = found.isTold ? claimed.isEqualOpen : claimed.isOpen;
  if (more.length > 0 || isOpen) {
    throw doubtful(turn, `${why}; ${free.length} of its jobs may be this one`);
  }
  const { provider } = turn;
  const { jobID: jobId } = found.status;
  const statusUrls = statusUrlsOf(provider, { location: null, askedUrl: provider.url, jobId });
  return { status: found.status, statusUrls, results: null, fault: null };
}

function doubtful({ provider }: Turn, why: string, transience: Transience = null): GatewayFailure {
  const message = `it is not known whether the provider ${provider.name} has the job: ${why}`;
  return new GatewayFailure('FORWARD_IN_DOUBT', message, { transience });
}

/** A provider that cannot be asked now may be asked later; until then nothing is sent again. */
function transienceOf(error: unknown): Transience {
  if (error instanceof GatewayFailure) return error.transience;
  const isLater = error instanceof ProviderUnreachable && error.kind !== 'refused';
  return isLater ? { retryAfterMs: null } : null;
}

/** A remote job that may be the one, and whether its inputs were told. */
interface Candidate {
  readonly status: StatusInfo;
  readonly isTold: boolean;
}

function inputsAsked({ run }: Turn): string {
  return canonicalJson(run.input.request['inputs'] ?? {});
}

/** Jobs of the same process, made since then, with the same inputs where those are told. */
async function candidatesFor(turn: Turn, { sentAt }: Sending): Promise<Candidate[]> {
  const { process } = turn.run.input;
  const inputs = inputsAsked(turn);
  const candidateIn = (value: unknown): Candidate[] => {
    const status = readStatusInfo(value);
    if (status === null || status.jobID === '') return [];
    const told = inputsIn(value as Record<string, unknown>);
    const isSame =
      (status.processID ?? process) === process &&
      Date.parse(status.created ?? status.started ?? '') >= sentAt - SKEW_MS &&
      (told === null || canonicalJson(told) === inputs);
    return isSame ? [{ status, isTold: told !== null }] : [];
  };
  const found: Candidate[] = [];
  // Of a long list only a page is held at a time.
  for await (const page of listedJobs(turn)) found.push(...page.flatMap(candidateIn));
  return found;
}

/** The 2.0 draft tells the request; pygeoapi tells the inputs, as a text. */
function inputsIn({ request, parameters }: Record<string, unknown>): unknown {
  const inputs = (request as Record<string, unknown> | undefined)?.['inputs'];
  if (inputs !== undefined) return inputs;
  if (typeof parameters !== 'string') return parameters ?? null;
  try {
    return JSON.parse(parameters) as unknown;
  } catch {
    return null;
  }
}

async function* listedJobs(turn: Turn): AsyncGenerator<readonly unknown[]> {
  let url: string | undefined = `${turn.provider.url}/jobs?limit=1000`;
  for (let page = 0; url !== undefined; page++) {
    if (page === PAGES_MAX) throw new Error('it is too long');
    const answer = await turn.ask({ url });
    const { jobs, links } = (jsonIn(answer) ?? {}) as Record<string, unknown>;
    if (answer.status >= 300 || !Array.isArray(jobs)) {
      throw upstreamError(turn.provider, answer, retryAfterIn(answer, turn.now));
    }
    yield jobs as unknown[];
    const next = readLinks(links).find((link) => hasRel(link, 'next'))?.href;
    const onward: string | undefined = next && placeOf(turn, next, url);
    url = jobs.length === 0 || onward === url ? undefined : onward;
  }
}

function placeOf({ provider }: Turn, href: string, askedUrl: string): string | undefined {
  return statusUrlsOf(provider, { location: href, askedUrl, jobId: '' })[0];
}
