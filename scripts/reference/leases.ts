import { HEARTBEATS_MISSED_MAX, leaseWindowMs, renewInMs } from 'pawl/internal/core/lease';
import type { Lifecycle } from 'pawl/internal/core/lifecycle';
import { policyOf } from 'pawl/internal/engine/define-type';
import { builtInLifecycles } from 'pawl/internal/lifecycles/built-in';
import { code, madeOf, table } from './table.ts';

const INTRODUCTION = `\
A worker owns a job for as long as its **lease** lasts. Heartbeats renew the lease and carry
progress.
When the heartbeats stop, the lease expires, and a sweep returns the job to its queue. Three values
decide when:

- \`ttlMs\` (\`lease.ttl\` in a definition): how long a lease lasts without a renewal, at most.
- \`heartbeatMs\` (\`lease.heartbeat\`): how often the worker sends a heartbeat. It must be at
  most half
  of \`ttlMs\`, so that one lost heartbeat does not lose the job.
- The **deadline** that the database stores and enforces. Each heartbeat sets it to
  min(\`ttlMs\`, ${HEARTBEATS_MISSED_MAX} × \`heartbeatMs\`) from then, and never beyond the
  \`timeout\` of the
  attempt or the \`deadline\` of the job.

So ${HEARTBEATS_MISSED_MAX} × \`heartbeatMs\` is the time after which a silent worker has lost
its job. \`ttlMs\` is
the upper bound, and decides how often the history notes a renewed lease.`;

const AFTER = `\
## From a lost worker to the next attempt

1. The worker dies. Nothing happens until the deadline passes: at most ${HEARTBEATS_MISSED_MAX}
   × \`heartbeatMs\` after
   its last heartbeat.
2. The next sweep finds the expired lease. Sweeps run once a second in every process with the role
   \`sweeper\`.
3. The job is requeued or, by its retry policy, waits for its backoff. The attempt counts as lost
   (\`worker_lost\`) and is always followed by another while attempts are left.
4. The next claim has a new epoch. Writes of the former owner carry the old epoch and are
   refused with
   \`LEASE_LOST\`.

With the defaults of \`task\` a lost worker is detected after 30 seconds and at most one sweep.
If the
database itself was unavailable, leases that ran out meanwhile get one more window, and then
the job is
given back without counting an attempt.

## Which values to choose

| you want | set |
|---|---|
| lost workers detected after 4 s | \`lease: { ttl: '10s', heartbeat: '2s' }\` |
| few writes for many long jobs | \`lease: { ttl: '5m', heartbeat: '1m' }\`: detected after 2 min |
| a limit for the attempt itself | \`timeout\`; a heartbeat never extends the lease beyond it |
| handlers that block the thread | \`isolation\`; a blocked thread sends no heartbeats |

Heartbeats are sent by the worker, not by the handler: a handler that awaits something for an
hour keeps
its job. Time is measured by the database, so the clocks of workers do not matter. The HTTP
protocol has
durations only: a claim answers with \`expiresInMs\` and \`heartbeatMs\`.`;

function seconds(ms: number): string {
  if (ms % 3_600_000 === 0) return `${ms / 3_600_000} h`;
  return ms % 60_000 === 0 ? `${ms / 60_000} min` : `${ms / 1_000} s`;
}

function range([min, max]: readonly [number, number]): string {
  return `${seconds(min)} to ${seconds(max)}`;
}

function row(lifecycle: Lifecycle): string[] {
  const { lease } = policyOf(lifecycle, { lifecycle: lifecycle.name });
  const { bounds } = lifecycle;
  return [
    code(lifecycle.name),
    `${seconds(lease.ttlMs)} (${range(bounds.ttlMs)})`,
    `${seconds(lease.heartbeatMs)} (${range(bounds.heartbeatMs)})`,
    seconds(leaseWindowMs(lease)),
    seconds(renewInMs(lease)),
  ];
}

/** docs/reference/leases.md, whole. */
export function leasesPage(): string {
  const titles = [
    'lifecycle',
    '`ttlMs` (allowed)',
    '`heartbeatMs` (allowed)',
    'lost after',
    'sent every',
  ];
  return [
    '# Leases and heartbeats',
    '',
    madeOf('`packages/pawl/src/core/lease.ts` and the lifecycles'),
    '',
    INTRODUCTION,
    '',
    '## Defaults',
    '',
    ...table(titles, builtInLifecycles.map(row)),
    '',
    AFTER,
    '',
  ].join('\n');
}
