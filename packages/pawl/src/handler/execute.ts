import type { Ending } from '../core/ending.ts';
import { isDlqReason } from '../core/error-class.ts';
import { PAYLOADS } from '../core/payload.ts';
import type { AttemptFacts, AttemptPort } from './attempt-port.ts';
import type { JobDefinition } from './define-job.ts';
import { isJobFailure, ValidationError } from './failure.ts';
import { judgeError } from './judge-error.ts';
import { jsonOf } from './json.ts';
import { Pause } from './pause.ts';
import { contextFor } from './handler-context.ts';
import { HandlerRun } from './run-context.ts';
import { check, type Checked, type Schema } from './schema.ts';
import type { StopSwitch } from './stop.ts';
import { failureOf, isInstance, readMember } from './thrown-error.ts';

/** How a handler's work ended. `stopped`: it heeded its signal, whose reason says the rest. */
export type Outcome =
  | Extract<Ending, { kind: 'succeed' | 'fail' | 'snooze' | 'advance' | 'suspend' }>
  | { readonly kind: 'stopped' };

export interface ExecuteOptions {
  readonly facts: AttemptFacts;
  readonly port: AttemptPort;
  readonly stops: StopSwitch;
}

/** Runs a handler once, in whatever thread or process this is. It never throws. */
export async function execute(job: JobDefinition, options: ExecuteOptions): Promise<Outcome> {
  const { facts, port, stops } = options;
  let run: HandlerRun | null = null;
  let part: string | null = 'input';
  try {
    run = new HandlerRun({ facts, port, stops, stages: job.policy.stages ?? [] });
    const input = fitting(job.input, JSON.parse(facts.input));
    const fit = input instanceof Promise ? await input : input;
    part = null;
    const returned = await job.run(contextFor(run, options, fit));
    if (run.suspension !== null) return { kind: 'suspend', waits: run.suspension };
    if (run.isUploading) await run.uploaded();
    part = 'output';
    const result = fitting(job.result, returned);
    return {
      kind: 'succeed',
      result: jsonOf(PAYLOADS.result, result instanceof Promise ? await result : result),
    };
  } catch (error) {
    // Whatever it made of the suspension, its turn is over.
    const waits = run?.suspension ?? null;
    if (waits !== null) return { kind: 'suspend', waits };
    if (isInstance(error, Pause)) return { kind: error.kind, delayMs: error.delayMs };
    if (stops.isHeededBy(error)) return { kind: 'stopped' };
    return failedBy(job, error, part ?? run?.stageOf(error) ?? null);
  } finally {
    run?.end();
  }
}

/** The end of an attempt by an error, judged where the error itself is at hand. It never throws. */
export function failedBy(
  job: Pick<JobDefinition, 'matchers'>,
  thrown: unknown,
  stage: string | null,
): Extract<Outcome, { kind: 'fail' }> {
  const failure = failureOf(thrown, stage);
  const retryable = judgeError(job.matchers, thrown, failure.classes ?? [failure.class]);
  const wish = isJobFailure(thrown) ? readMember(thrown, 'deadLetter') : null;
  const deadLetter = typeof wish === 'string' && isDlqReason(wish) ? wish : null;
  return { kind: 'fail', error: { ...failure, retryable }, deadLetter };
}

function fitting<Value>(
  schema: Schema<unknown, Value> | null,
  value: unknown,
): Value | Promise<Value> {
  const checked = check(schema, value);
  return checked instanceof Promise ? checked.then(valueOf) : valueOf(checked);
}

function valueOf<Value>(checked: Checked<Value>): Value {
  if ('value' in checked) return checked.value;
  const list = checked.faults.map(({ pointer, message }) => `${pointer || '/'}: ${message}`);
  throw new ValidationError(list.join('; '), { details: { faults: checked.faults } });
}
