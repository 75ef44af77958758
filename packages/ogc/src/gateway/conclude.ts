import { isTerminal, type StatusInfo } from '../model/status-info.ts';
import { GatewayFailure } from './failures.ts';
import type { KeptResults } from './kept-results.ts';
import { isNews, resultsHrefIn } from './normalise.ts';
import { notify } from './observers.ts';
import type { Following } from './remote-state.ts';
import type { Turn } from './turn.ts';

/** What a successful job of the gateway returns. */
export interface ExecutionResult {
  readonly status: StatusInfo;
  /** Null where they could not be had: then the provider is asked whenever they are wanted. */
  readonly results: KeptResults | null;
}

/** A status as the provider told it, and where that job is. */
export interface Learnt {
  readonly remote: StatusInfo;
  readonly statusUrls: readonly string[];
}

/**
 * The one road for whatever is learnt of a job, by a forward or by a poll: normalised, kept, told
 * to the observers, and then the turn's end. It returns for a success and throws for all else.
 */
export async function conclude(turn: Turn, learnt: Learnt): Promise<ExecutionResult> {
  const { previous } = turn;
  const { remote, statusUrls } = learnt;
  const status = turn.normalised(remote, previous);
  const following: Following = {
    step: 'following',
    remoteId: remote.jobID || remoteIdOf(turn),
    statusUrls,
    resultsHref: resultsHrefIn(remote) ?? resultsHrefOf(turn),
    since: turn.state?.step === 'following' ? turn.state.since : turn.now,
    status,
    failures: 0,
    gone: 0,
  };
  if (status.status === 'successful') {
    turn.suppose(following);
    // The last word of the provider is that of the job; a hundred is for the end alone.
    turn.run.progress({ percent: Math.min(99, status.progress ?? 0) }, status.message);
    await tellEnd(turn, previous, status);
    if (turn.resultsFailure !== null) throw await failed(turn, turn.resultsFailure, status);
    // Whoever wants the results later must find where they are.
    if (turn.kept === null) await turn.save(following);
    return { status, results: turn.kept };
  }
  if (isTerminal(status.status)) throw await failed(turn, failureOf(remote), previous);
  if (statusUrls.length === 0) {
    const message = 'the provider started a job and did not give its location';
    throw await failed(turn, new GatewayFailure('STATUS_UNREADABLE', message), previous);
  }
  await goOn(turn, following, previous);
  return pause(turn, status);
}

/** Where nothing is new nothing is written: not a row of history, and no checkpoint either. */
async function goOn(turn: Turn, following: Following, previous: StatusInfo): Promise<void> {
  const before = turn.state?.step === 'following' ? turn.state : null;
  const { status } = following;
  const hasNews = before === null || isNews(status, previous);
  if (hasNews || hasMoved(before, following)) await turn.save(following);
  if (!hasNews) return;
  turn.run.progress({ percent: status.progress ?? 0 }, status.message);
  const { observers, log } = turn.deps;
  await notify({ observers, log }, 'onStatusChanged', turn, previous, status);
}

/** Whether the job is now known better than before, though it stands where it stood. */
function hasMoved(before: Following, now: Following): boolean {
  const place = ({ remoteId, resultsHref, statusUrls, failures }: Following): string =>
    JSON.stringify([remoteId, resultsHref, statusUrls[0], failures]);
  return place(before) !== place(now);
}

/** Tells of a failure before it is thrown, whichever way it came about. */
export async function failed(
  turn: Turn,
  failure: GatewayFailure,
  previous: StatusInfo = turn.previous,
): Promise<GatewayFailure> {
  const remote: StatusInfo = {
    jobID: '',
    status: 'failed',
    type: 'process',
    message: failure.message,
  };
  await tellEnd(turn, previous, turn.normalised(remote, previous));
  return failure;
}

async function tellEnd(turn: Turn, previous: StatusInfo, status: StatusInfo): Promise<void> {
  const { observers, log } = turn.deps;
  await notify({ observers, log }, 'onStatusChanged', turn, previous, status);
  await notify({ observers, log }, 'onJobCompleted', turn, status);
}

/** Ends the turn until the next poll, which comes in time for the time-out. */
export function pause(turn: Turn, { status }: StatusInfo): never {
  const { pollTimeoutMs } = turn.provider.settings;
  const leftMs = pollTimeoutMs === null ? Infinity : pollTimeoutMs - turn.followedMs;
  const delayMs = Math.max(1, Math.min(turn.nextPollInMs, leftMs));
  const { run } = turn;
  // A crash may have come between what is kept of the remote job and the state of our own.
  if (status === 'running' && run.job.state === 'accepted') return run.advance(delayMs);
  return run.snooze(delayMs);
}

function failureOf({ status, message }: StatusInfo): GatewayFailure {
  if (status === 'dismissed') {
    const why = message ?? 'without a reason';
    return new GatewayFailure('REMOTE_DISMISSED', `the provider dismissed the job: ${why}`);
  }
  const why = message ?? 'the provider reported a failed job without a reason';
  return new GatewayFailure('REMOTE_FAILED', why);
}

function remoteIdOf({ state }: Turn): string {
  return state?.step === 'following' ? state.remoteId : '';
}

function resultsHrefOf({ state }: Turn): string | null {
  return state?.step === 'following' ? state.resultsHref : null;
}
