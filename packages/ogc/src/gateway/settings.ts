import type { Fault } from 'pawl/define';

/**
 * What happens to an execution that may or may not have reached its provider. `fail`: the
 * job fails and says so. `retry`: it is sent again, and may be done twice. `probe`: the provider's
 * list of jobs is searched for it, and it is sent again where it is not there; the job fails where
 * the list does not tell.
 */
export type InDoubt = 'fail' | 'retry' | 'probe';

/** How a provider is dealt with. */
export interface GatewaySettings {
  readonly pollIntervalMs: number;
  /** Since the forward; null: a remote job may take any time. */
  readonly pollTimeoutMs: number | null;
  /** How often an execution is sent at most. */
  readonly forwardMaxRetries: number;
  readonly forwardRetryBaseWaitMs: number;
  readonly forwardRetryMaxWaitMs: number;
  readonly rewriteRemoteLinks: boolean;
  /** In bytes of JSON. */
  readonly inlineInputsSizeLimit: number;
  readonly inDoubt: InDoubt;
  /** So many polls in a row may fail before the job is given up. */
  readonly pollFailuresMax: number;
  /** So often in a row the provider may say that it does not know the job. */
  readonly pollGoneMax: number;
  /** Of one request, from the first byte sent to the last byte read. */
  readonly timeoutMs: number;
  /** Of an execution: a provider may carry it out before it answers. */
  readonly forwardTimeoutMs: number;
  readonly responseBytesMax: number;
  /** Of results, which are streamed into an artifact. */
  readonly resultsBytesMax: number;
  readonly resultsTimeoutMs: number;
  /** For how long an execution waits for a provider that is unavailable; null: it fails. */
  readonly unavailableWaitMs: number | null;
  /** Whether inputs are checked by the description of their process before they are sent. */
  readonly validateInputs: boolean;
  /** Under way at a time in one process of the platform: at the provider, and of one process. */
  readonly forwardsMax: number;
  readonly pollsMax: number;
  readonly processForwardsMax: number;
  readonly processPollsMax: number;
  /** For how long a provider that does not answer is asked to dismiss a job. */
  readonly dismissTimeoutMs: number;
  /** For how long a list of processes is taken for new. */
  readonly processesCacheMs: number;
}

type Kind = 'seconds' | 'seconds or null' | 'count' | 'bytes' | 'flag' | 'in doubt';

interface Setting {
  readonly member: keyof GatewaySettings;
  readonly kind: Kind;
  /** As it is written in the file. */
  readonly usual: unknown;
}

/** The settings by the names that they have in the file, with what they are if left out. */
export const SETTINGS: Readonly<Record<string, Setting>> = {
  poll_interval: { member: 'pollIntervalMs', kind: 'seconds', usual: 5 },
  poll_timeout: { member: 'pollTimeoutMs', kind: 'seconds or null', usual: null },
  forward_max_retries: { member: 'forwardMaxRetries', kind: 'count', usual: 3 },
  forward_retry_base_wait: { member: 'forwardRetryBaseWaitMs', kind: 'seconds', usual: 1 },
  forward_retry_max_wait: { member: 'forwardRetryMaxWaitMs', kind: 'seconds', usual: 5 },
  rewrite_remote_links: { member: 'rewriteRemoteLinks', kind: 'flag', usual: true },
  inline_inputs_size_limit: { member: 'inlineInputsSizeLimit', kind: 'bytes', usual: 64 * 1024 },
  in_doubt: { member: 'inDoubt', kind: 'in doubt', usual: 'probe' },
  poll_failures_max: { member: 'pollFailuresMax', kind: 'count', usual: 720 },
  poll_gone_max: { member: 'pollGoneMax', kind: 'count', usual: 5 },
  timeout: { member: 'timeoutMs', kind: 'seconds', usual: 30 },
  forward_timeout: { member: 'forwardTimeoutMs', kind: 'seconds', usual: 120 },
  response_size_limit: { member: 'responseBytesMax', kind: 'bytes', usual: 64 * 1024 * 1024 },
  results_size_limit: { member: 'resultsBytesMax', kind: 'bytes', usual: 1024 ** 3 },
  results_timeout: { member: 'resultsTimeoutMs', kind: 'seconds', usual: 600 },
  unavailable_wait: { member: 'unavailableWaitMs', kind: 'seconds or null', usual: null },
  validate_inputs: { member: 'validateInputs', kind: 'flag', usual: true },
  forwards_max: { member: 'forwardsMax', kind: 'count', usual: 64 },
  polls_max: { member: 'pollsMax', kind: 'count', usual: 64 },
  process_forwards_max: { member: 'processForwardsMax', kind: 'count', usual: 16 },
  process_polls_max: { member: 'processPollsMax', kind: 'count', usual: 16 },
  dismiss_timeout: { member: 'dismissTimeoutMs', kind: 'seconds', usual: 86_400 },
  processes_cache: { member: 'processesCacheMs', kind: 'seconds', usual: 60 },
};

const SECONDS_MAX = 30 * 86_400;
const BYTES_MAX = 1024 ** 4;

/** What each kind takes, and what is then kept of it; undefined: it does not fit. */
const KINDS: Readonly<Record<Kind, { form: string; read: (value: unknown) => unknown }>> = {
  seconds: { form: 'a number of seconds above 0', read: milliseconds },
  'seconds or null': {
    form: 'a number of seconds above 0, or null for none',
    read: (value) => (value === null ? null : milliseconds(value)),
  },
  count: { form: 'a whole number from 1', read: (value) => whole(value, 1_000_000) },
  bytes: { form: 'a whole number of bytes', read: (value) => whole(value, BYTES_MAX) },
  flag: {
    form: 'true or false',
    read: (value) => (typeof value === 'boolean' ? value : undefined),
  },
  'in doubt': {
    form: '"fail", "retry" or "probe"',
    read: (value) => (['fail', 'retry', 'probe'].includes(value as string) ? value : undefined),
  },
};

function milliseconds(value: unknown): number | undefined {
  const isFit = typeof value === 'number' && value > 0 && value <= SECONDS_MAX;
  return isFit ? Math.max(1, Math.round(value * 1_000)) : undefined;
}

function whole(value: unknown, max: number): number | undefined {
  const isFit = Number.isInteger(value) && (value as number) >= 1 && (value as number) <= max;
  return isFit ? (value as number) : undefined;
}

/** The settings among these members, over those given before; faults are added to the list. */
export function readSettings(
  members: Readonly<Record<string, unknown>>,
  before: GatewaySettings,
  report: { pointer: string; faults: Fault[] },
): GatewaySettings {
  const read: Record<string, unknown> = { ...before };
  for (const [name, value] of Object.entries(members)) {
    const setting = SETTINGS[name];
    if (setting === undefined) continue;
    const { form, read: take } = KINDS[setting.kind];
    const kept = take(value);
    if (kept !== undefined) read[setting.member] = kept;
    else report.faults.push({ pointer: `${report.pointer}/${name}`, message: `must be ${form}` });
  }
  return read as unknown as GatewaySettings;
}

/** Every setting as it is where the file says nothing. */
export const DEFAULT_SETTINGS: GatewaySettings = Object.fromEntries(
  Object.values(SETTINGS).map(({ member, kind, usual }) => [member, KINDS[kind].read(usual)]),
) as unknown as GatewaySettings;
