import type { Lifecycle } from 'pawl/internal/core/lifecycle';
import { isFinalClass, ERROR_CLASSES } from 'pawl/internal/core/error-class';
import type { Policy } from 'pawl/internal/core/policy';
import type { Backoff } from 'pawl/internal/core/retry';
import { retriedText } from 'pawl/internal/core/retry-rule';
import { policyOf } from 'pawl/internal/engine/define-type';
import type { JobDefinition } from 'pawl/internal/handler/define-job';
import { typeDefinitionOf } from 'pawl/internal/handler/define-job';
import { builtInLifecycles } from 'pawl/internal/lifecycles/built-in';
import { builtInJobs, type StudioDependencies } from '../../packages/studio/src/built-in.ts';
import { code, madeOf, table } from './table.ts';

const INTRODUCTION = `\
What happens after an attempt has failed. While attempts are left the job waits for its backoff
and is tried again, unless the error is fatal. The first rule that applies decides:

1. An attempt whose worker, thread or process was lost (\`worker_lost\`, \`handler_crashed\`) is
   always followed by another.
2. Where the table says *fixed*, the lists of the type or lifecycle decide alone.
3. The worker's own judgement (\`error.retryable\`) is followed: it has the error itself, and goes
   by \`retryable\` and \`fatal\` of the job's definition, functions and constructors included.
4. A class in \`fatal\`, or a class it is derived from, ends the job.
5. Where \`retryable\` is a list, an error is retried if one of its classes is in it, and not if a
   more derived one is final; no other error is.
6. Without a list everything is retried except the classes that are final everywhere.`;

const FINAL = `\
Final everywhere, unless \`retryable\` of a type lists them:`;

const HINT = `\
A job that failed although attempts were left says why in the \`hint\` of its error, and what to
change.`;

function seconds(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${ms / 1_000} s`;
}

function backoffText(backoff: Backoff): string {
  if (backoff.kind === 'fixed') return `${seconds(backoff.baseMs)}, fixed`;
  const { baseMs, maxMs, factor, jitter } = backoff;
  const range = `${seconds(baseMs)} to ${seconds(maxMs)}`;
  return `${range}, ×${factor}, jitter ${jitter}`;
}

function row(name: string, policy: Policy): string[] {
  const { retry, retryable, fatal, isRetryFixed } = policy;
  const retried = retryable === null || retryable.length === 0;
  return [
    code(name),
    String(retry.maxAttempts),
    backoffText(retry.backoff),
    retried ? retriedText(policy) : retryable.map(code).join(', '),
    fatal.length === 0 ? '–' : fatal.map(code).join(', '),
    isRetryFixed ? 'fixed' : 'default',
  ];
}

const COLUMNS = ['attempts', 'backoff', 'retried', 'fatal', 'lists'];

function lifecycleRow(lifecycle: Lifecycle): string[] {
  return row(lifecycle.name, policyOf(lifecycle, { lifecycle: lifecycle.name }));
}

function typeRow(job: JobDefinition): string[] {
  return row(job.type, policyOf(job.lifecycle, typeDefinitionOf(job)));
}

/** What the handlers work with is no part of what is told of their types. */
const NO_ROOM = {
  ai: { rate: {}, timeoutMs: 0 },
  email: {},
  batch: {},
  research: {},
  execute: {},
} as unknown as StudioDependencies;

/** docs/reference/retries.md, whole. */
export function retriesPage(): string {
  const finals = Object.keys(ERROR_CLASSES).filter(isFinalClass).map(code).join(', ');
  const jobs = builtInJobs(NO_ROOM).toSorted((one, other) => one.type.localeCompare(other.type));
  return [
    '# Retries',
    '',
    madeOf('the lifecycles, the built-in types and `packages/pawl/src/core/retry-rule.ts`'),
    '',
    INTRODUCTION,
    '',
    `${FINAL} ${finals}.`,
    '',
    HINT,
    '',
    '## Lifecycles',
    '',
    'The defaults of their types; those of a custom lifecycle are its own, and else as of `task`',
    'with a backoff of 500 ms to 60 s.',
    '',
    ...table(['lifecycle', ...COLUMNS], builtInLifecycles.map(lifecycleRow)),
    '',
    '## Built-in types',
    '',
    ...table(['type', ...COLUMNS], jobs.map(typeRow)),
    '',
  ].join('\n');
}
