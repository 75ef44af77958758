import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isJobDefinition, type JobDefinition } from '../handler/define-job.ts';
import { ConfigurationError } from './configuration-error.ts';

/** The jobs that a module of the user exports, each by itself or in an array. */
export async function loadJobs(path: string): Promise<readonly JobDefinition[]> {
  if (!existsSync(path)) {
    const message = `names ${path}, which is not there: give the module that exports your jobs`;
    throw new ConfigurationError('PAWL_JOBS', message);
  }
  let members: Record<string, unknown>;
  try {
    members = (await import(pathToFileURL(resolve(path)).href)) as Record<string, unknown>;
  } catch (error) {
    throw new ConfigurationError('PAWL_JOBS', `names ${path}, which fails: ${String(error)}`);
  }
  // A module may export a job by its name and in a list of all.
  const jobs = new Set(Object.values(members).flat().filter(isJobDefinition));
  if (jobs.size > 0) return [...jobs];
  const message = `names ${path}, which exports no job: export what defineJob or handle returns`;
  throw new ConfigurationError('PAWL_JOBS', message);
}
