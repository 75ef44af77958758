import type { JobDefinition } from 'pawl/define';
import { type AiDependencies, aiJob } from './ai/job.ts';
import { studioJobs } from './jobs.ts';
import { type BatchDependencies, batchJob } from './small/batch.ts';
import { type EmailDependencies, emailJob } from './small/email.ts';
import { type ExecuteDependencies, executeJob } from './small/execute.ts';
import { qaJob } from './small/qa.ts';
import { type ResearchDependencies, researchJob } from './small/research.ts';

/** What the built-in types that reach beyond their input work with. */
export interface StudioDependencies {
  readonly ai: AiDependencies;
  readonly email: EmailDependencies;
  readonly batch: BatchDependencies;
  readonly research: ResearchDependencies;
  readonly execute: ExecuteDependencies;
}

/** The job types that every platform has, without anybody writing a handler. */
export function builtInJobs(deps: StudioDependencies): readonly JobDefinition[] {
  return [
    ...studioJobs,
    aiJob(deps.ai),
    emailJob(deps.email),
    batchJob(deps.batch),
    researchJob(deps.research),
    executeJob(deps.execute),
    qaJob(deps.batch),
  ];
}
