import type { JobDefinition } from '../handler/define-job.ts';
import { type AiRoom, aiJob } from './ai/job.ts';
import { studioJobs } from './jobs.ts';
import { type BatchRoom, batchJob } from './small/batch.ts';
import { type EmailRoom, emailJob } from './small/email.ts';
import { type ExecuteRoom, executeJob } from './small/execute.ts';
import { qaJob } from './small/qa.ts';
import { type ResearchRoom, researchJob } from './small/research.ts';

/** What the built-in types that reach beyond their input work with. */
export interface StudioRoom {
  readonly ai: AiRoom;
  readonly email: EmailRoom;
  readonly batch: BatchRoom;
  readonly research: ResearchRoom;
  readonly execute: ExecuteRoom;
}

/** The job types that every platform has, without anybody writing a handler. */
export function builtInJobs(room: StudioRoom): readonly JobDefinition[] {
  return [
    ...studioJobs,
    aiJob(room.ai),
    emailJob(room.email),
    batchJob(room.batch),
    researchJob(room.research),
    executeJob(room.execute),
    qaJob(room.batch),
  ];
}
