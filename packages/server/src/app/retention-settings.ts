import { HOME_TENANT } from 'pawl/internal/contract/credential';
import { parseDuration } from 'pawl/internal/core/duration';
import { DLQ_REASONS, type DlqReason, isDlqReason } from 'pawl/internal/core/error-class';
import { PawlError } from 'pawl/internal/core/errors';
import {
  DEFAULT_RETENTION,
  type RetentionPolicy,
  retentionPolicy,
} from 'pawl/internal/engine/retention/policy';
import {
  checkReprocessRule,
  type ReprocessRule,
} from 'pawl/internal/engine/retention/reprocess-rule';
import { ConfigurationError } from 'pawl/internal/settings/configuration-error';

/** How long things are kept, and which dead letters are replayed without anybody's asking. */
export interface RetentionSettings {
  readonly retention: RetentionPolicy;
  readonly reprocess: readonly ReprocessRule[];
}

/** Which variable says how long each kind is kept; how long a key counts is no setting. */
const KEPT = {
  jobsMs: 'PAWL_RETENTION_JOBS',
  notesMs: 'PAWL_RETENTION_NOTES',
  feedMs: 'PAWL_RETENTION_FEED',
  firesMs: 'PAWL_RETENTION_FIRES',
  deadLettersMs: 'PAWL_RETENTION_DEAD_LETTERS',
} as const;

type Kept = keyof typeof KEPT;

const MINUTE_MS = 60_000;

export function readRetentionSettings(env: NodeJS.ProcessEnv): RetentionSettings {
  return { retention: readPolicy(env), reprocess: readRules(env) };
}

function readPolicy(env: NodeJS.ProcessEnv): RetentionPolicy {
  const given = Object.entries(KEPT).flatMap(([kind, name]) => {
    const text = env[name] ?? '';
    return text === '' ? [] : [[kind, text === 'never' ? null : durationOf(name, text)] as const];
  });
  const policy: Partial<RetentionPolicy> = Object.fromEntries(given);
  const { jobsMs = DEFAULT_RETENTION.jobsMs } = policy;
  // Who shortens the jobs need not know that the feed may not be longer.
  const feedMs = Math.min(DEFAULT_RETENTION.feedMs!, jobsMs ?? Infinity);
  try {
    return retentionPolicy({ feedMs, ...policy });
  } catch (error) {
    throw named(error, (pointer) => KEPT[pointer.slice(1) as Kept]);
  }
}

function durationOf(name: string, text: string): number {
  const ms = parseDuration(text);
  if (ms !== null) return ms;
  throw new ConfigurationError(name, `is "${text}": give a time such as 30d, 12h or 10m`);
}

const REASONS = 'PAWL_REPROCESS_REASONS';

/** One rule for each tenant; without reasons there are none. */
function readRules(env: NodeJS.ProcessEnv): ReprocessRule[] {
  const reasons = listOf(env[REASONS]).map(reasonOf);
  if (reasons.length === 0) return [];
  const types = listOf(env['PAWL_REPROCESS_TYPES']);
  const tenants = listOf(env['PAWL_REPROCESS_TENANTS'] ?? HOME_TENANT);
  const rule = {
    reasons,
    ...(types.length === 0 ? {} : { types }),
    delayMs: durationOf('PAWL_REPROCESS_DELAY', env['PAWL_REPROCESS_DELAY'] ?? '10m'),
    replaysMax: countOf('PAWL_REPROCESS_TIMES', env['PAWL_REPROCESS_TIMES'] ?? '3'),
    rate: {
      max: countOf('PAWL_REPROCESS_PER_MINUTE', env['PAWL_REPROCESS_PER_MINUTE'] ?? '60'),
      perMs: MINUTE_MS,
    },
  };
  return tenants.map((tenant) => checkReprocessRule({ ...rule, tenant }));
}

function listOf(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}

function reasonOf(word: string): DlqReason {
  if (isDlqReason(word)) return word;
  throw new ConfigurationError(REASONS, `has "${word}": give some of ${DLQ_REASONS.join(', ')}`);
}

function countOf(name: string, text: string): number {
  const count = Number(text);
  if (Number.isSafeInteger(count) && count >= 1) return count;
  throw new ConfigurationError(name, `is "${text}": give a whole number from 1`);
}

/** The engine names the member at fault; whoever starts the platform knows the variable. */
function named(error: unknown, variableOf: (pointer: string) => string): unknown {
  if (!(error instanceof PawlError) || error.faults.length === 0) return error;
  const { pointer, message } = error.faults[0]!;
  const kept = message.replaceAll(/\b\w+Ms\b/g, (name) => KEPT[name as Kept] ?? name);
  return new ConfigurationError(variableOf(pointer), kept);
}
