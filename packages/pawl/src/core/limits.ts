import type { Fault } from './errors.ts';
import type { JobLabels } from './job-labels.ts';
import { checkThrottle, THROTTLE_DEFAULTS, type ThrottlePolicy } from './throttle.ts';

/** What jobs that share a limit have in common. */
export const LIMIT_KEYS = [
  'documentId',
  'requestedBy',
  'limitKey',
  'correlationId',
  'tenant',
] as const;

export type LimitKey = (typeof LIMIT_KEYS)[number];

/** At most `max` starts at once, and `max` more each `perMs`. */
export interface Rate {
  readonly max: number;
  readonly perMs: number;
}

/** Members of the input by which a job's source is known, and what each of them holds. */
export interface DocumentSource {
  /** The id of an artifact: the document is its content. */
  readonly artifact?: string;
  /** The content itself, as a text. */
  readonly content?: string;
  readonly url?: string;
}

/** How many jobs of a type there may be of one kind, running or at all; null for no limit. */
export interface LimitPolicy {
  /** Of one document only one job that has not ended; another is refused at enqueue. */
  readonly activePerDocument: boolean;
  /** Where the document of a job is found whose caller named none; left out: nowhere. */
  readonly documentFrom?: DocumentSource;
  /** A job that finds its key full is parked, and let in by whatever frees a slot. */
  readonly runningPerKey: { readonly max: number; readonly key: LimitKey } | null;
  /** Starts of one user's and of one tenant's jobs; a job that finds no token waits for one. */
  readonly rate: { readonly perUser: Rate | null; readonly perOrganisation: Rate | null } | null;
  /** When its failures slow it down; null for never, left out for the defaults. */
  readonly adaptive?: ThrottlePolicy | null;
}

/** Limits as the author of a type writes them. */
export interface LimitDefinition {
  /** Maximum number of active jobs for one document; `true` stands for 1. */
  readonly activePerDocument?: boolean | 1;
  /** The members of the input that name the document, for jobs without `documentId`. */
  readonly documentFrom?: DocumentSource;
  /** Maximum number of running jobs with one key; a plain number counts by document. */
  readonly runningPerKey?: number | { readonly max: number; readonly key?: LimitKey };
  readonly rate?: { readonly perUser?: Rate; readonly perOrganisation?: Rate };
  /** False: failures do not reduce the number of jobs that run at once. */
  readonly adaptive?: boolean | Partial<ThrottlePolicy>;
}

/** Null where nothing is limited. */
export function limitPolicyOf(definition: LimitDefinition): LimitPolicy | null {
  const { runningPerKey, rate, documentFrom } = definition;
  const activePerDocument = activeOf(definition.activePerDocument);
  const adaptive = adaptiveOf(definition.adaptive);
  const limits: LimitPolicy = {
    activePerDocument,
    runningPerKey: runningOf(runningPerKey),
    rate: rateOf(rate),
    ...(documentFrom === undefined ? {} : { documentFrom }),
    ...(adaptive === undefined ? {} : { adaptive }),
  };
  const isOpen = limits.runningPerKey === null && limits.rate === null && adaptive === undefined;
  return !activePerDocument && isOpen ? null : limits;
}

/** What is neither is kept as it is, for the check to name it. */
function activeOf(given: LimitDefinition['activePerDocument'] = false): boolean {
  return given === 1 ? true : given;
}

function adaptiveOf(given: LimitDefinition['adaptive']): LimitPolicy['adaptive'] {
  if (given === undefined || given === true) return undefined;
  return given === false ? null : { ...THROTTLE_DEFAULTS, ...given };
}

/** When a type with these limits is throttled; null for never. */
export function throttlePolicyOf(limits: LimitPolicy | undefined): ThrottlePolicy | null {
  return limits?.adaptive === undefined ? THROTTLE_DEFAULTS : limits.adaptive;
}

function runningOf(given: LimitDefinition['runningPerKey']): LimitPolicy['runningPerKey'] {
  if (given === undefined) return null;
  if (typeof given === 'number') return { max: given, key: 'documentId' };
  return { max: given.max, key: given.key ?? 'documentId' };
}

function rateOf(given: LimitDefinition['rate']): LimitPolicy['rate'] {
  const { perUser = null, perOrganisation = null } = given ?? {};
  return perUser === null && perOrganisation === null ? null : { perUser, perOrganisation };
}

const DOCUMENT_SOURCES: Record<keyof DocumentSource, true> = {
  artifact: true,
  content: true,
  url: true,
};

const COUNT_MAX = 1_000_000;
const PERIOD_MS_MAX = 30 * 86_400_000;

/** Everything that is wrong with a type's limits, by JSON pointer. */
export function checkLimits(limits: LimitPolicy | null): Fault[] {
  if (limits === null) return [];
  const { activePerDocument, runningPerKey, rate } = limits;
  const faults: Fault[] = [];
  if (typeof activePerDocument !== 'boolean') {
    faults.push({ pointer: '/limits/activePerDocument', message: 'must be true or false' });
  }
  if (runningPerKey !== null) {
    faults.push(...checkCount('/limits/runningPerKey/max', runningPerKey.max, COUNT_MAX));
    if (!LIMIT_KEYS.includes(runningPerKey.key)) {
      const message = `must be one of ${LIMIT_KEYS.join(', ')}`;
      faults.push({ pointer: '/limits/runningPerKey/key', message });
    }
  }
  for (const name of ['perUser', 'perOrganisation'] as const) {
    const one = rate?.[name] ?? null;
    if (one === null) continue;
    faults.push(...checkCount(`/limits/rate/${name}/max`, one.max, COUNT_MAX));
    faults.push(...checkCount(`/limits/rate/${name}/perMs`, one.perMs, PERIOD_MS_MAX));
  }
  for (const [name, member] of Object.entries(limits.documentFrom ?? {})) {
    const isFit = typeof member === 'string' && member !== '' && name in DOCUMENT_SOURCES;
    if (isFit) continue;
    const known = Object.keys(DOCUMENT_SOURCES).join(', ');
    const message = `must be one of ${known}, and name a member of the input`;
    faults.push({ pointer: `/limits/documentFrom/${name}`, message });
  }
  if (limits.adaptive) faults.push(...checkThrottle('/limits/adaptive', limits.adaptive));
  return faults;
}

function checkCount(pointer: string, value: unknown, max: number): Fault[] {
  const isFit = Number.isInteger(value) && (value as number) >= 1 && (value as number) <= max;
  return isFit ? [] : [{ pointer, message: `must be a whole number from 1 to ${max}` }];
}

/** What a job has that a limit could go by. */
export interface Limited extends Partial<JobLabels> {
  readonly type: string;
}

/**
 * The keys under which a job is counted; null where it is not. They begin with the gate at which it
 * waits for its turn under that key and what the store calls the tenant. No type's name has a
 * blank, so no two keys are alike that should differ.
 */
export interface LimitKeys {
  readonly running: string | null;
  readonly active: string | null;
  readonly user: string | null;
  readonly organisation: string | null;
}

const NO_KEYS: LimitKeys = { running: null, active: null, user: null, organisation: null };

export function limitKeysOf(
  limits: LimitPolicy | null | undefined,
  job: Limited,
  tenant: string | number,
): LimitKeys {
  if (limits === null || limits === undefined) return NO_KEYS;
  const { activePerDocument, runningPerKey, rate } = limits;
  const user = (rate?.perUser ?? null) === null ? null : limitKeyOf(job);
  const isOfOrganisation = (rate?.perOrganisation ?? null) !== null;
  const prefix = `${tenant} ${job.type}`;
  const value = runningPerKey === null ? null : valueOf(job, runningPerKey.key);
  const documentId = job.documentId ?? null;
  const isActive = activePerDocument && documentId !== null;
  return {
    running: value === null ? null : `3 ${prefix} ${runningPerKey!.key} ${value}`,
    active: isActive ? `${prefix} ${documentId}` : null,
    user: user === null ? null : `4 ${prefix} ${user}`,
    organisation: isOfOrganisation ? `5 ${prefix}` : null,
  };
}

function valueOf(job: Limited, key: LimitKey): string | null {
  if (key === 'tenant') return '';
  return key === 'limitKey' ? limitKeyOf(job) : (job[key] ?? null);
}

/** Whose limits a job counts under: as it says, else those of whoever asked for it. */
function limitKeyOf({ limitKey, requestedBy }: Limited): string | null {
  return limitKey ?? requestedBy ?? null;
}
