import { PawlError } from '../core/errors.ts';
import type { Job } from '../core/job.ts';
import type { StageRange } from '../core/policy.ts';
import type { EngineContext } from './context.ts';

/** What a beat says of stages. */
export interface StageReport {
  readonly stage?: string;
  readonly progress?: number;
  readonly stageResult?: { readonly name: string };
}

/** What a type's stages mean for a beat: where its progress must lie, and why it is refused. */
export interface StageRuling {
  readonly range: StageRange | null;
  readonly error: PawlError | null;
}

export const FREE: StageRuling = { range: null, error: null };

export function speaksOfStages({ stage, progress, stageResult }: StageReport): boolean {
  return stage !== undefined || progress !== undefined || stageResult !== undefined;
}

/**
 * A type that declares stages has no others. Those of the job's own policy count, and those that
 * the type declares by now: a worker of a newer release works on jobs that are older than it.
 */
export async function ruleStage(
  context: EngineContext,
  beat: StageReport,
  job: Job,
): Promise<StageRuling> {
  const { stages: frozen } = await context.registry.policy(job.policy);
  if (frozen.length === 0) return FREE;
  const stage = beat.stage ?? job.stage;
  const kept = beat.stageResult === undefined ? null : stageOfResult(beat.stageResult.name);
  const isDeclared = (name: string | null): boolean =>
    name === null || frozen.some((range) => range.name === name);
  if (isDeclared(stage) && isDeclared(kept)) return { range: rangeIn(frozen, stage), error: null };
  const current = await currentStages(context, job);
  if (current.length === 0) return FREE;
  const all = [...frozen, ...current];
  const error =
    (beat.stage === undefined ? null : undeclared(job, all, { name: stage, pointer: '/stage' })) ??
    undeclared(job, all, { name: kept, pointer: '/name' });
  return { range: rangeIn(all, stage), error };
}

async function currentStages(
  { registry }: EngineContext,
  { tenant, type }: Job,
): Promise<readonly StageRange[]> {
  const { policy } = await registry.type(tenant, type);
  return (await registry.policy(policy)).stages;
}

function rangeIn(stages: readonly StageRange[], stage: string | null): StageRange | null {
  return stages.find((range) => range.name === stage) ?? null;
}

/** Checkpoints are kept under their stage's name; what else has a colon belongs to no stage. */
function stageOfResult(name: string): string | null {
  if (name.startsWith('checkpoint:')) return name.slice('checkpoint:'.length);
  return name.includes(':') ? null : name;
}

function undeclared(
  { type }: Job,
  stages: readonly StageRange[],
  { name, pointer }: { name: string | null; pointer: string },
): PawlError | null {
  if (name === null || rangeIn(stages, name) !== null) return null;
  const known = [...new Set(stages.map((range) => range.name))].join(', ');
  const message = `the type "${type}" declares no stage "${name}"; it has ${known}`;
  return new PawlError('VALIDATION_ERROR', message, {
    faults: [{ pointer, message }],
    details: { undeclaredStage: name },
  });
}
