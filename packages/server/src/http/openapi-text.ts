import { ERROR_CLASSES } from 'pawl/internal/core/error-class';
import { ERRORS } from 'pawl/internal/core/errors';

const CLASS_ROWS = Object.entries(ERROR_CLASSES)
  .map(([name, { isRetryable, dlqReason }]) => {
    return `| \`${name}\` | ${isRetryable ? 'yes' : 'no'} | \`${dlqReason}\` |`;
  })
  .join('\n');

const CODE_ROWS = Object.entries(ERRORS)
  .map(([code, { status, hint }]) => `| \`${code}\` | ${status} | ${hint} |`)
  .join('\n');

/** What is true of the whole API, said once. */
export const INTRODUCTION = `Durable jobs that only move forward.

**Errors** are problems (RFC 9457) with a stable \`code\`, a \`hint\` what to do next and, for a bad
request, one entry in \`errors\` per faulty member, by JSON pointer. Members that are not known are
refused; nothing is silently coerced, dropped or defaulted.

**At the edge.** Any request can be refused before a route sees it, with \`METHOD_NOT_ALLOWED\` (and
\`Allow\`), \`METHOD_NOT_IMPLEMENTED\`, \`REQUEST_TIMEOUT\`, \`HEADERS_TOO_LARGE\` or
\`EXPECTATION_FAILED\`.

**Repeats.** An \`Idempotency-Key\` is accepted on every POST. Where a request makes something new
(jobs, keys) the key makes it repeatable for 24 h. Everything else has no further effect when it is
repeated, by the job's state or by the claim's epoch; each operation says how. After
\`OUTCOME_UNKNOWN\`, or no answer at all, send the same request again with the same key.

**Retry and backoff.** A failed attempt is retried while attempts are left, unless its error is
fatal by the worker's judgement or by the job's policy; see \`PUT /v1/types/{type}\` for the rules
and the formulas. The policy is frozen when the job is accepted.

**Texts.** What no database can hold (U+0000, half of a surrogate pair) is refused in keys and
payloads, and replaced by U+FFFD in messages, log lines and errors. Those are cut visibly where they
are too long: an error is kept whole up to 64 KiB, a message or line up to 16 KiB. A checkpoint or a
stage's result of more than 1 MiB, and metadata of more than 64 KiB, are refused (413).

**Cancellation.** Soft by default: the owner is asked and stops at the next stage; hard takes the
job away at once. See \`POST /v1/jobs/{id}/cancel\`.

**Answers that are known or large.** Every answer in JSON to a GET has an \`ETag\`: sent back as
\`If-None-Match\` it gets 304 while nothing has changed. From 4 KiB on answers to a GET are
compressed (gzip) for who sends \`Accept-Encoding\`.

**Answers of a replica.** Where the platform has one, lists and histories come with a
\`Pawl-Position\`. A client that sends it back gets a new one with each of its writes, and a replica
that has come so far may answer: \`Pawl-Stale-Ms\` says how old such an answer may be. A request
without a position is answered by the primary.

**Changes that nobody loses.** What can be changed has an \`ETag\` whose part before the dot names
what can be set of it. Sent as \`If-Match\` with a change, that part is compared as the change is
written: 412 \`PRECONDITION_FAILED\` where somebody else was faster. What follows the dot tells
answers apart and is not compared, nor is \`W/\`.

**Rules beyond the schema** are listed as \`x-rules\`, of the document for every body and of an
operation for its own: the pointer of the member and what the refusal says.

**Time** is the server's. Owners get durations, so that their own clocks do not matter.

**Paging.** Lists are \`{items, nextCursor}\`; send \`nextCursor\` as \`cursor\`.

**Not promised:** exactly-once execution (an attempt may run again after a crash: make effects with
an idempotency key), real-time completion, and an order across jobs.

**Tracing.** \`X-Request-Id\` is echoed, a W3C \`traceparent\` is kept with the job and its events.

**Limits.** Bodies of 1 MiB (reports of a worker: 2 MiB), 64 levels, 10,000 members and texts of
256 KiB; batches of 1,000; pages of 500. \`RateLimit\` tells what is left, and 429 and 503 come with
\`Retry-After\`.

| code | status | what to do |
|---|---|---|
${CODE_ROWS}
`;

/** The parts of the API, in reading order. */
export const TAGS: readonly { readonly name: string; readonly description: string }[] = [
  { name: 'Jobs', description: 'Accept, read and cancel.' },
  {
    name: 'Events',
    description: 'What happened, as lists and live. Data of every message is a JobEvent.',
  },
  {
    name: 'Types',
    description: "What a type's jobs live by, and the lifecycles they can follow.",
  },
  {
    name: 'Worker protocol',
    description: `How a worker in any language takes jobs, keeps them and reports their end.

An error has a class; any may be sent. Known classes, whether they are retried unless a type says
otherwise (every other class is), and the reason they have in the dead-letter queue:

| class | retryable | reason |
|---|---|---|
${CLASS_ROWS}

The \`code\` of a job's error is the handler's own, else the type and the class in capitals, such as
\`CONVERT_UNSUPPORTED_FORMAT\`.`,
  },
  { name: 'Operations', description: 'Operations on many jobs.' },
  {
    name: 'Failures',
    description: 'Failed jobs, grouped by cause, with and without dead letters.',
  },
  {
    name: 'Dead letters',
    description: 'Jobs that ended in the dead-letter queue, and how to replay them.',
  },
  { name: 'Queues', description: 'Depth, limits and state of queues.' },
  { name: 'Schedules', description: 'Recurring jobs, and their past runs.' },
  {
    name: 'Artifacts',
    description: 'Upload and download of files: streamed, hashed, with signed links.',
  },
  { name: 'Access', description: 'API keys and the audit log.' },
  { name: 'Health', description: 'For load balancers and supervisors.' },
];
