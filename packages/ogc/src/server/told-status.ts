import type { Job } from 'pawl/define';
import type { ProcessSource } from '../model/process-source.ts';
import type { StatusInfo } from '../model/status-info.ts';
import { isRemote, type OgcDependencies } from './dependencies.ts';
import { type ExceptionBody, failureOf } from './exception.ts';

/** A job as the 2.0 draft tells it; the members of 1.0 are there beside its own. */
export interface DraftStatusInfo extends StatusInfo {
  readonly id: string;
  readonly processingEntityType: 'ogc-api-processes';
  /** Why it failed. */
  readonly exception?: ExceptionBody;
}

/** The status of a job, in the words of the version that is served. */
export function toldStatus(
  { settings }: Pick<OgcDependencies, 'settings'>,
  { job, source }: { readonly job: Job; readonly source: ProcessSource },
  base: string,
): StatusInfo | DraftStatusInfo {
  const info = source.status(job, base);
  return settings.isDraft2 ? inDraft(info, { job, source, base }) : info;
}

/** In the draft a process is named by its address. */
function inDraft(
  info: StatusInfo,
  { job, source, base }: { job: Job; source: ProcessSource; base: string },
): DraftStatusInfo {
  const { jobID: id, processID, status } = info;
  const named = processID === undefined ? {} : { processID: processAddress(base, processID) };
  const exception =
    status === 'failed'
      ? { exception: failureOf(job, { isRemote: isRemote(source, job) }).body }
      : {};
  return { ...info, id, processingEntityType: 'ogc-api-processes', ...named, ...exception };
}

function processAddress(base: string, id: string): string {
  return `${base}/processes/${encodeURIComponent(id)}`;
}

/** The id in a filter of the draft, which may be an address. */
export function processIdIn(base: string, text: string): string {
  const start = processAddress(base, '');
  return text.startsWith(start) ? decodeURIComponent(text.slice(start.length)) : text;
}
