import { readStatusInfo } from '../model/status-info.ts';
import { conclude, type ExecutionResult, failed, pause } from './conclude.ts';
import { type GatewayCode, GatewayFailure, retryAfterIn } from './failures.ts';
import { currentUrls } from './locations.ts';
import { describeAnswer, jsonIn, type ProviderAnswer } from './provider-answer.ts';
import { ProviderUnreachable } from './provider-client.ts';
import type { Following } from './remote-state.ts';
import type { Turn } from './turn.ts';

/** Asks the provider once how its job stands. */
export async function poll(turn: Turn, following: Following): Promise<ExecutionResult> {
  const { pollTimeoutMs } = turn.provider.settings;
  if (pollTimeoutMs !== null && turn.now - following.since >= pollTimeoutMs) {
    const seconds = pollTimeoutMs / 1_000;
    const message = `the provider ${turn.provider.name} had not ended the job after ${seconds} s`;
    throw await failed(turn, failureFor(following, 'POLL_TIMEOUT', message));
  }
  const fault = { text: '', gone: 1, retryAfterMs: null as number | null };
  const statusUrls = currentUrls(turn.provider, following);
  for (const url of statusUrls) {
    const answer = await ask(turn, url);
    if (typeof answer === 'string') {
      fault.text = answer;
      fault.gone = 0;
      continue;
    }
    const remote = answer.status < 400 ? readStatusInfo(jsonIn(answer)) : null;
    if (remote !== null) {
      turn.leaveAlone(retryAfterIn(answer, turn.now) ?? 0);
      const others = statusUrls.filter((one) => one !== url);
      return conclude(turn, { remote, statusUrls: [url, ...others] });
    }
    fault.text = `it answered ${describeAnswer(answer)}`;
    fault.retryAfterMs = retryAfterIn(answer, turn.now);
    if (answer.status !== 404 && answer.status !== 410) fault.gone = 0;
    // Who asks to be left alone means every address.
    if (fault.retryAfterMs !== null) break;
  }
  return missed(turn, following, fault);
}

async function ask(turn: Turn, url: string): Promise<ProviderAnswer | string> {
  try {
    return await turn.ask({ url, signal: turn.run.signal });
  } catch (error) {
    if (error instanceof ProviderUnreachable) return error.message;
    throw error;
  }
}

/** A poll that brought nothing: written down, and after too many in a row the end. */
async function missed(
  turn: Turn,
  following: Following,
  fault: { text: string; gone: number; retryAfterMs: number | null },
): Promise<never> {
  const { pollFailuresMax, pollGoneMax, pollIntervalMs } = turn.provider.settings;
  const { name } = turn.provider;
  const failures = following.failures + 1;
  const gone = fault.gone === 0 ? 0 : following.gone + 1;
  if (gone >= pollGoneMax) {
    const what = `the provider ${name} no longer knows the job`;
    const message = `${what}: ${fault.text}, ${gone} times in a row`;
    throw await failed(turn, failureFor(following, 'REMOTE_LOST', message));
  }
  if (failures >= pollFailuresMax) {
    const what = `the provider ${name} gave no status ${failures} times in a row`;
    const message = `${what}: ${fault.text}`;
    throw await failed(turn, failureFor(following, 'POLL_FAILURES', message));
  }
  await turn.save({ ...following, failures, gone });
  const facts = { jobId: turn.id, provider: name, failures, error: fault.text };
  turn.deps.log.warn('polling a provider failed; retrying', facts);
  turn.schedulePoll(pollIntervalMs);
  turn.leaveAlone(fault.retryAfterMs ?? 0);
  return pause(turn, following.status);
}

function failureFor(following: Following, code: GatewayCode, message: string): GatewayFailure {
  return new GatewayFailure(code, message, { details: { remoteJobId: following.remoteId } });
}
