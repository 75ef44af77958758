import { DLQ_REASONS, ERROR_CLASSES } from 'pawl/internal/core/error-class';
import { ERRORS } from 'pawl/internal/core/errors';
import { code, madeOf, table } from './table.ts';

const PROBLEMS = `\
The API answers a failed request with a problem (RFC 9457): \`code\`, \`detail\`, \`hint\`,
\`requestId\` and, for \`VALIDATION_ERROR\`, one entry in \`errors\` for each faulty member,
by JSON pointer. The library and the client throw a \`PawlError\` with the same \`code\`,
\`hint\` and \`faults\`.`;

const CLASSES = `\
A failed attempt has an error, and the error has a class. A handler names it with
\`throw fail('network_timeout', 'the mail server did not answer')\`; an ordinary error is of
the class that it was made by. Any class may be thrown, and is retried unless it is final here or
[the type says otherwise](retries.md). These are known everywhere.`;

/** docs/reference/errors.md, whole. */
export function errorsPage(): string {
  const problems = Object.entries(ERRORS)
    .toSorted(([, one], [, other]) => one.status - other.status)
    .map(([name, { status, hint }]) => [code(name), String(status), hint]);
  const classes = Object.entries(ERROR_CLASSES).map(([name, { isRetryable, dlqReason }]) => [
    code(name),
    isRetryable ? 'yes' : 'no',
    code(dlqReason),
  ]);
  return [
    '# Errors',
    '',
    madeOf('`packages/pawl/src/core/errors.ts` and `packages/pawl/src/core/error-class.ts`'),
    '',
    '## Problems',
    '',
    PROBLEMS,
    '',
    ...table(['code', 'status', 'what to do'], problems),
    '',
    '## Classes of failed attempts',
    '',
    CLASSES,
    '',
    ...table(['class', 'retried by default', 'reason in the dead-letter queue'], classes),
    '',
    `Reasons in the dead-letter queue: ${DLQ_REASONS.map(code).join(', ')}.`,
    '`exhausted_retries` is used when the last attempt that was allowed has failed.',
    '',
  ].join('\n');
}
