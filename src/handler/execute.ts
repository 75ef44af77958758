import type { Failure } from '../core/decision.ts';
import type { DlqReason } from '../core/error-class.ts';
import type { JsonText } from '../core/job.ts';
import type { AttemptFacts, AttemptPort } from './attempt-port.ts';
import type { JobDefinition } from './define-job.ts';
import { failureOf, JobFailure, ValidationError } from './failure.ts';
import { jsonOf } from './json.ts';
import { HandlerRun, Pause } from './run-context.ts';
import { check, type Schema } from './schema.ts';
import { isHeeded } from './stop.ts';

/** How a handler's work ended. `stopped`: it heeded its signal, whose reason says the rest. */
export type Outcome =
  | { readonly kind: 'succeed'; readonly result: JsonText }
  | { readonly kind: 'fail'; readonly error: Failure; readonly deadLetter: DlqReason | null }
  | { readonly kind: 'snooze' | 'advance'; readonly delayMs: number }
  | { readonly kind: 'stopped' };

export interface ExecuteOptions {
  readonly facts: AttemptFacts;
  readonly port: AttemptPort;
  readonly signal: AbortSignal;
}

/** Runs a handler once, in whatever thread or process this is. It never throws. */
export async function execute(job: JobDefinition, options: ExecuteOptions): Promise<Outcome> {
  const { facts, port, signal } = options;
  let run: HandlerRun | null = null;
  let part: string | null = 'input';
  try {
    run = new HandlerRun({ facts, port, signal, stages: job.policy.stages ?? [] });
    const input = await fitting(job.input, JSON.parse(facts.input));
    part = null;
    const returned = await job.run(run.contextFor(input));
    await run.uploaded();
    part = 'output';
    return { kind: 'succeed', result: jsonOf('result', await fitting(job.result, returned)) };
  } catch (error) {
    if (error instanceof Pause) return { kind: error.kind, delayMs: error.delayMs };
    if (isHeeded(error, signal)) return { kind: 'stopped' };
    const deadLetter = error instanceof JobFailure ? error.deadLetter : null;
    return {
      kind: 'fail',
      error: failureOf(error, part ?? run?.stageOf(error) ?? null),
      deadLetter,
    };
  }
}

async function fitting<Value>(
  schema: Schema<unknown, Value> | null,
  value: unknown,
): Promise<Value> {
  const checked = await check(schema, value);
  if ('value' in checked) return checked.value;
  const list = checked.faults.map(({ pointer, message }) => `${pointer || '/'}: ${message}`);
  throw new ValidationError(list.join('; '), { details: { faults: checked.faults } });
}
