// What the compiler knows of a job's policy: durations, and the errors in its lists. Never run.
import { declareJob, defineJob, type Duration, lifecycles, typed } from 'pawl';

// --- Durations and policies --------------------------------------------------------------------

defineJob('policy', {
  lifecycle: lifecycles.distributed,
  maxAttempts: 5,
  backoff: { base: '250ms', factor: 3, max: '1.5m', jitter: 'equal' },
  timeout: 90_000,
  lease: { ttl: '1m', heartbeat: '10s' },
  limits: { rate: { perUser: { max: 3, per: '1h' } }, runningPerKey: 2 },
  slo: { p95: '3d', failureRateMax: 0.1 },
  run: ({ snooze, attempt }) => (attempt > 1 ? 'done' : snooze('5m')),
});
defineJob('policy', { backoff: '5s', run: () => 1 });
// @ts-expect-error words are no duration
defineJob('bad', { timeout: '5 minutes', run: () => 1 });
// @ts-expect-error nor is a number without a unit
defineJob('bad', { backoff: '5', run: () => 1 });
// @ts-expect-error nor a unit that there is none of
defineJob('bad', { lease: { ttl: '1w' }, run: () => 1 });
// @ts-expect-error nor an option of the wire
defineJob('bad', { timeoutMs: 1_000, run: () => 1 });
// @ts-expect-error handlers' pauses are durations as well
defineJob('bad', { run: ({ snooze }) => snooze('soon') });
const durations: readonly Duration[] = [1, '250ms', '5s', '3m', '2h', '3d', '0.5s'];

// --- Errors ------------------------------------------------------------------------------------

class BadAddress extends Error {
  override readonly name = 'BadAddress';
}
class Busy extends Error {
  readonly retryAfter: number = 1;
}
const isBusy = (error: unknown): boolean => error instanceof Busy && error.retryAfter < 60;
defineJob('mail', {
  errors: [BadAddress, Busy],
  retryable: [Busy, isBusy, 'network_timeout', 'TransientError'],
  fatal: [BadAddress, 'BadAddress', 'PermanentError'],
  run: () => 1,
});
// @ts-expect-error a name that is none of theirs, nor one that the platform knows
defineJob('bad', { errors: [BadAddress, Busy], retryable: ['BadAdress'], run: () => 1 });
// @ts-expect-error the same for what is never tried again
defineJob('bad', { errors: [BadAddress], fatal: ['Busy'], run: () => 1 });
// @ts-expect-error a class that is not among them
defineJob('bad', { errors: [BadAddress], retryable: [Busy], run: () => 1 });
// Null: everything but what is fatal, also in a lifecycle with a list of its own.
defineJob('mail', { errors: [Busy], retryable: null, fatal: [Busy], run: () => 1 });
abstract class MailError extends Error {}
defineJob('mail', { errors: [MailError], fatal: [MailError], run: () => 1 });
// Without `errors` every name and every class may stand there.
defineJob('mail', { retryable: ['Whatever', Busy, TypeError], fatal: [isBusy], run: () => 1 });
// @ts-expect-error but nothing that is neither
defineJob('bad', { retryable: [17], run: () => 1 });
// @ts-expect-error that the lists alone decide is said by types of the platform itself
defineJob('bad', { isRetryFixed: true, run: () => 1 });
const walk = declareJob('walk', { result: typed<{ steps: number }>() });
walk.handle({ errors: [Busy], retryable: [Busy, 'timeout'], run: () => ({ steps: 1 }) });
// @ts-expect-error handlers of contracts are held to it as well
walk.handle({ errors: [Busy], retryable: ['Bussy'], run: () => ({ steps: 1 }) });

export const used = [durations];
