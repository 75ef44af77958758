import { ENQUEUE_OPTIONS } from '../handle/enqueue-options.ts';
import { JobVerbs } from '../handle/job-verbs.ts';
import { ApiClient } from './api-client.ts';
import type { ConnectionOptions } from './connection.ts';
import { HttpPort } from './http-port.ts';

export { PawlError } from '../core/errors.ts';
export {
  isJobCancelled,
  isJobFailed,
  JobCancelled,
  JobFailed,
  JobGone,
  WaitTimeout,
} from '../handle/job-errors.ts';
export { declareJob } from '../handler/define-job.ts';
export type { JobType } from '../handler/job-type.ts';
export { typed } from '../handler/schema.ts';
export type { JobHandle } from '../handle/job-handle.ts';
export type { JobSnapshot, Page, Paging } from '../handle/job-snapshot.ts';
export { ApiClient, type BatchItem, type FailureFilterJson, type JobFilter } from './api-client.ts';
export type { ArtifactsClient, Upload } from './artifacts-client.ts';
export type { ConnectionOptions } from './connection.ts';
export type { FollowOptions, StreamItem } from './follow.ts';
export type { KeysClient, MadeKeyJson, NewKeyJson } from './keys-client.ts';
export type { ItemResult, ItemResults, OperationsClient } from './operations-client.ts';
export type { SchedulesClient } from './schedules-client.ts';
export { RemoteArtifacts, type RemoteArtifactsOptions } from './remote-artifacts.ts';
export { RemoteSource } from './remote-source.ts';

/**
 * A client for a Pawl server, with the functions and handles of the library; it needs only `fetch`.
 * A request whose answer was lost is sent again and takes effect once. Waits continue across
 * restarts of the server.
 */
export class PawlClient extends JobVerbs {
  /** The API route by route, with what only a server has: keys, workers, all events at once. */
  readonly api: ApiClient;
  protected readonly port: HttpPort;

  constructor(options: ConnectionOptions) {
    super();
    this.api = new ApiClient(options);
    this.port = new HttpPort(this.api);
  }

  protected portFor(): HttpPort {
    return this.port;
  }

  protected get optionNames(): typeof ENQUEUE_OPTIONS {
    return ENQUEUE_OPTIONS;
  }
}
