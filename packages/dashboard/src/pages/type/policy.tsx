import { durationText } from '../../../../pawl/src/cli/terminal/words.ts';
import type { TypeJson } from '../../../../pawl/src/contract/type.ts';
import { type Fact, Facts } from '../../parts/facts.tsx';
import { hrefOf } from '../../route.ts';
import { limitsText, Throttle } from '../queues/types.tsx';

/** `after 2 s, then twice as long each time, up to 30 s`. */
function backoffText({ backoff }: TypeJson['retry']): string {
  if (backoff.kind === 'fixed') return `each after ${durationText(backoff.baseMs)}`;
  const { baseMs, factor, maxMs, jitter } = backoff;
  const spread = jitter === 'none' ? '' : `, with ${jitter} jitter`;
  return `the first after ${durationText(baseMs)}, then ${factor} times as long each, up to ${durationText(maxMs)}${spread}`;
}

const ENDS = {
  failed: 'jobs fail',
  dead_lettered: 'jobs are dead-lettered',
} as const;

const COPIES = {
  never: 'nothing is kept as a dead letter',
  exhausted: 'those jobs are kept as dead letters',
  failed: 'every failed job is kept as a dead letter',
} as const;

function retryFacts(type: TypeJson): (Fact | null)[] {
  const { retry, retryable, fatal } = type;
  return [
    [
      'Attempts',
      retry.maxAttempts === 1
        ? '1: no retries'
        : `up to ${retry.maxAttempts}; retries: ${backoffText(retry)}`,
    ],
    [
      'Retried errors',
      retryable === null ? 'all except fatal ones' : retryable.join(', ') || 'none',
    ],
    fatal.length === 0 ? null : ['Fatal errors', fatal.join(', ')],
    ['Out of attempts', `${ENDS[type.onExhausted]}; ${COPIES[type.dlq]}`],
  ];
}

/** What the next jobs of a type live by, in sentences. */
export function TypePolicy({ type }: { readonly type: TypeJson }) {
  const limits = limitsText(type.limits ?? {});
  return (
    <section class="card" aria-label="Policy">
      <h2>Policy</h2>
      <Facts
        facts={[
          ['Lifecycle', <a href={hrefOf(['lifecycles'])}>{type.lifecycle}</a>],
          ...retryFacts(type),
          [
            'Lease',
            `${durationText(type.lease.ttlMs)}, a heartbeat every ${durationText(type.lease.heartbeatMs)}`,
          ],
          [
            'Time-out',
            type.timeoutMs === null ? 'none' : `${durationText(type.timeoutMs)} per attempt`,
          ],
          type.stages.length === 0
            ? null
            : ['Stages', type.stages.map(({ name }) => name).join(' → ')],
          ['Limits', limits.length === 0 ? 'none' : limits.join(', ')],
          ['Throttle', <Throttle throttle={type.throttle} />],
          type.compensation === undefined ? null : ['Undone by', type.compensation],
          type.calls === undefined ? null : ['Starts jobs of', type.calls.join(', ')],
        ]}
      />
    </section>
  );
}
