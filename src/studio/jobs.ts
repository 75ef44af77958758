import type { JobDefinition } from '../handler/define-job.ts';
import { convert } from './convert/job.ts';
import { exportDeck } from './export/job.ts';

/** The job types that every platform has, without anybody writing a handler. */
export const studioJobs: readonly JobDefinition[] = [convert, exportDeck] as JobDefinition[];
