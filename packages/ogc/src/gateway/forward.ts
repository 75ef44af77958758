import { readStatusInfo } from '../model/status-info.ts';
import { conclude, type ExecutionResult, failed, pause } from './conclude.ts';
import { GatewayFailure, retryAfterIn, upstreamError } from './failures.ts';
import { resolveDoubt } from './in-doubt.ts';
import { resultsHrefIn } from './normalise.ts';
import { notify } from './observers.ts';
import { jsonIn, leave, opened, type ProviderAnswer } from './provider-answer.ts';
import { ProviderUnreachable } from './provider-client.ts';
import type { Sending } from './remote-state.ts';
import { type Derivation, deriveStatus } from './status-derivation.ts';
import type { Turn } from './turn.ts';

/** Hands an execution to its provider and understands what it answers. */
export async function forward(turn: Turn): Promise<ExecutionResult> {
  const { observers, log } = turn.deps;
  if (turn.state === null) {
    await notify({ observers, log }, 'onJobCreated', turn, turn.accepted);
  }
  let derived: Derivation;
  try {
    derived = await send(turn);
  } catch (error) {
    if (!(error instanceof GatewayFailure)) throw error;
    const waitMs = await waitBefore(turn, error);
    if (waitMs === null) throw await failed(turn, error);
    turn.run.progress({ percent: 0 }, `${error.message}; it is sent again later`);
    return turn.run.snooze(waitMs);
  }
  const { status, statusUrls, fault } = derived;
  // The job is there, and its provider wants to be left alone before it tells of it.
  const isLater = turn.leftAloneMs > turn.provider.settings.forwardRetryMaxWaitMs;
  if (fault !== null && isLater && turn.state?.step === 'following') {
    return pause(turn, turn.accepted);
  }
  if (fault !== null) throw await failed(turn, new GatewayFailure('STATUS_UNREADABLE', fault));
  if (status.status === 'successful') await verify(turn, derived);
  return conclude(turn, { remote: status, statusUrls });
}

const UNAVAILABLE_MS_MIN = 5_000;
const UNAVAILABLE_MS_MAX = 300_000;

/**
 * For how long an execution that could not be handed over waits for the next turn; null where it
 * has failed. A provider that names a time is left alone until then; one that is unavailable is
 * waited for where its settings say so.
 */
async function waitBefore(turn: Turn, failure: GatewayFailure): Promise<number | null> {
  const { state, provider, run, now } = turn;
  const { forwardMaxRetries, forwardRetryMaxWaitMs, unavailableWaitMs } = provider.settings;
  const { transience } = failure;
  if (transience === null || state === null || state.step === 'following') return null;
  const askedMs = Math.min(transience.retryAfterMs ?? 0, UNAVAILABLE_MS_MAX);
  if (askedMs > forwardRetryMaxWaitMs && state.tries < forwardMaxRetries) return askedMs;
  const ageMs = now - run.job.createdAt;
  if (unavailableWaitMs === null || ageMs >= unavailableWaitMs) return null;
  await turn.save({ ...state, tries: 0 });
  const waitMs = Math.min(UNAVAILABLE_MS_MAX, Math.max(UNAVAILABLE_MS_MIN, ageMs / 4));
  return Math.max(1, askedMs, Math.min(waitMs, unavailableWaitMs - ageMs));
}

async function send(turn: Turn): Promise<Derivation> {
  const { state } = turn;
  const made = state === null || state.step === 'following' ? 0 : state.tries;
  return turn.retry.execute({
    made,
    attempt: (tries) => attempt(turn, tries),
    transienceOf: (error) => (error instanceof GatewayFailure ? error.transience : null),
  });
}

/**
 * Whoever wrote that it is sending did not live to see what came of it, or saw no answer: then the
 * provider had a while since.
 */
async function soughtBefore(turn: Turn): Promise<Derivation | null> {
  const { state } = turn;
  if (state?.step !== 'sending') return null;
  return resolveDoubt(turn, state, 'it was sent, and no answer came');
}

async function attempt(turn: Turn, tries: number): Promise<Derivation> {
  const { provider, run } = turn;
  const found = await soughtBefore(turn);
  if (found !== null) return found;
  const sending: Sending = { step: 'sending', tries, sentAt: turn.now };
  await turn.save(sending);
  const process = encodeURIComponent(run.input.process).replaceAll('%3A', ':');
  const askedUrl = `${provider.url}/processes/${process}/execution`;
  try {
    // A stop does not break it off: half an answer would leave more doubt than a late one.
    const answer = await turn.begin({
      method: 'POST',
      url: askedUrl,
      headers: { prefer: 'respond-async', 'idempotency-key': run.job.id },
      body: JSON.stringify(run.input.request),
      timeoutMs: provider.settings.forwardTimeoutMs,
    });
    return await understandOrLeave(turn, answer, askedUrl);
  } catch (error) {
    if (error instanceof GatewayFailure) {
      if (error.transience !== null) await turn.save({ step: 'idle', tries });
      throw error;
    }
    if (!(error instanceof ProviderUnreachable)) throw error;
    return unanswered(turn, sending, error);
  }
}

async function unanswered(
  turn: Turn,
  sending: Sending,
  error: ProviderUnreachable,
): Promise<Derivation> {
  if (error.kind === 'refused') {
    const errorClass = 'configuration_error';
    throw new GatewayFailure('UPSTREAM_UNREACHABLE', error.message, { errorClass });
  }
  if (error.kind === 'unknown') {
    const found = await resolveDoubt(turn, sending, error.message);
    if (found !== null) return found;
  } else {
    await turn.save({ step: 'idle', tries: sending.tries });
  }
  const transience = { retryAfterMs: null };
  throw new GatewayFailure('UPSTREAM_UNREACHABLE', error.message, { transience });
}

/** A long answer stays open only where its body is the results. */
async function understandOrLeave(
  turn: Turn,
  answer: ProviderAnswer,
  askedUrl: string,
): Promise<Derivation> {
  let derived: Derivation | null = null;
  try {
    derived = await understand(turn, answer, askedUrl);
    return derived;
  } finally {
    if (derived?.results !== answer) await leave(answer);
  }
}

async function understand(
  turn: Turn,
  answer: ProviderAnswer,
  askedUrl: string,
): Promise<Derivation> {
  const { provider, deps } = turn;
  turn.leaveAlone(retryAfterIn(answer, turn.now) ?? 0);
  if (answer.status >= 400 && readStatusInfo(jsonIn(answer)) === null) {
    throw upstreamError(provider, answer, retryAfterIn(answer, turn.now));
  }
  return deriveStatus(deps.strategies, {
    provider,
    answer,
    askedUrl,
    isPageAsked: turn.isPageAsked,
    remember: async (statusUrls) => {
      const { accepted: status, now: since } = turn;
      const nothing = { remoteId: '', resultsHref: null, failures: 0, gone: 0 };
      await turn.save({ step: 'following', statusUrls, since, status, ...nothing });
    },
    follow: (url) => follow(turn, url),
  });
}

/** A job that was just made may not be found at once. */
function follow(turn: Turn, url: string): Promise<ProviderAnswer> {
  const { provider } = turn;
  const isLate = ({ status }: ProviderAnswer): boolean => status === 404 || status >= 500;
  return turn.retry.execute({
    attempt: async () => {
      const answer = await turn.ask({ url });
      if (!isLate(answer)) return answer;
      turn.leaveAlone(retryAfterIn(answer, turn.now) ?? 0);
      const { details, message } = upstreamError(provider, answer, null);
      throw new GatewayFailure('UPSTREAM_ERROR', message, {
        details: details as object,
        transience: { retryAfterMs: retryAfterIn(answer, turn.now) },
      });
    },
    transienceOf: (error) => {
      if (error instanceof GatewayFailure) return error.transience;
      return error instanceof ProviderUnreachable ? { retryAfterMs: null } : null;
    },
  });
}

/** A success at once counts only with its results; without them it is a failure. */
async function verify(turn: Turn, { results, statusUrls, status }: Derivation): Promise<void> {
  if (results !== null) return told(turn, () => turn.keep(opened(results)));
  const nothing = { remoteId: status.jobID, failures: 0, gone: 0, since: turn.now };
  const kept = {
    statusUrls,
    resultsHref: resultsHrefIn(status),
    status: turn.accepted,
    ...nothing,
  };
  await turn.save({ step: 'following', ...kept });
  await told(turn, () => turn.verifyResults());
}

async function told(turn: Turn, keeping: () => Promise<void>): Promise<void> {
  try {
    await keeping();
  } catch (error) {
    if (!(error instanceof GatewayFailure)) throw error;
    throw await failed(turn, error);
  }
}
