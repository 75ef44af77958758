import { defineJob, type JobDefinition, process, typed } from 'pawl/define';
import { type ExecutionResult, failed } from './conclude.ts';
import { GatewayFailure } from './failures.ts';
import { forward } from './forward.ts';
import { poll } from './poll.ts';
import { providerOfType } from './process-id.ts';
import { forProcess, type Provider } from './provider.ts';
import type { ExecutionInput } from './remote-state.ts';
import { DEFAULT_SETTINGS } from './settings.ts';
import { type ExecutionRun, type GatewayDependencies, Turn } from './turn.ts';

/** A provider that was taken out of the file may come back. */
const ABSENT_MS = 60_000;

/**
 * The job that carries the executions of one process out. Each claim of it is a turn: the forward,
 * or a poll. What fails is not for the engine to try again, as the retry port has done that; only
 * a lost worker is followed by another one, however often.
 */
export function executionJob(deps: GatewayDependencies, type: string): JobDefinition {
  const { settings } = deps.provider(providerOfType(type) ?? '') ?? nobody('');
  const { processForwardsMax, processPollsMax } = settings;
  return defineJob(type, {
    lifecycle: process,
    input: typed<ExecutionInput>(),
    maxAttempts: 1_000,
    retryable: [],
    dlq: 'never',
    concurrency: processForwardsMax + processPollsMax,
    ...(deps.lease === undefined
      ? {}
      : { lease: { ttl: deps.lease.ttlMs, heartbeat: deps.lease.heartbeatMs } }),
    run: (context) => takeTurn(deps, context),
  });
}

async function takeTurn(deps: GatewayDependencies, run: ExecutionRun): Promise<ExecutionResult> {
  const provider = deps.provider(run.input.provider);
  if (provider === undefined) return absent(new Turn(deps, run, nobody(run.input.provider)));
  const turn = new Turn(deps, run, forProcess(provider, run.input.process));
  const { state } = turn;
  const errand = state?.step === 'following' ? 'poll' : 'forward';
  const entry = deps.bounds.enter(turn.provider, run.input.process, errand);
  if (entry.kind === 'full') return run.snooze(entry.waitMs);
  try {
    return await (state?.step === 'following' ? poll(turn, state) : forward(turn));
  } finally {
    entry.leave();
  }
}

/** What stands for a provider that is not configured. */
function nobody(name: string): Provider {
  const rest = {
    title: null,
    include: null,
    exclude: [],
    redirectOrigins: [],
    isAnonymous: false,
    otherUrls: [],
    processSettings: new Map(),
  };
  const settings = DEFAULT_SETTINGS;
  return { name, url: 'https://provider.invalid', auth: { type: 'none' }, settings, ...rest };
}

/** What is on its way waits for its provider to be configured again; what is not has failed. */
async function absent(turn: Turn): Promise<never> {
  const { provider, deps, run, state, id } = turn;
  const failures = state?.step === 'following' ? state.failures + 1 : Infinity;
  if (state?.step !== 'following' || failures >= provider.settings.pollFailuresMax) {
    const message = `the provider ${provider.name} is not configured: add it to the providers file`;
    throw await failed(turn, new GatewayFailure('PROVIDER_UNKNOWN', message));
  }
  await turn.save({ ...state, failures });
  const facts = { jobId: id, provider: provider.name };
  deps.log.warn('a job waits for a provider that is not configured', facts);
  return run.snooze(ABSENT_MS);
}
