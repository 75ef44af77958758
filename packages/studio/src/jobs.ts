import type { JobDefinition } from 'pawl/define';
import { convert } from './convert/job.ts';
import { exportDeck } from './export/job.ts';
import { documentJob } from './small/document.ts';
import { report } from './small/report.ts';
import { indexJob } from './small/search-index.ts';

export { convert, documentJob, exportDeck, indexJob, report };

/** The built-in job types that need only their input and artifacts. */
export const studioJobs: readonly JobDefinition[] = [
  convert,
  exportDeck,
  documentJob,
  report,
  indexJob,
];
