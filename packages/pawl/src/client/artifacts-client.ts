import { allPages } from './all-pages.ts';
import type { Page, Paging } from '../handle/job-snapshot.ts';
import type { ArtifactJson } from '../contract/artifact.ts';
import { type Connection, errorOf } from './connection.ts';

/** The content of an upload, in memory, so that it can be sent again. */
export interface Upload {
  readonly name: string;
  readonly contentType?: string;
  readonly content: Uint8Array<ArrayBuffer> | string;
  /** The same for the same artifact, however often it is sent. */
  readonly idempotencyKey?: string;
}

/** `/v1/artifacts`: upload and download. */
export class ArtifactsClient {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Stored when it resolves; a job takes it in its input as `{"$artifact": id}`. */
  async upload(upload: Upload): Promise<ArtifactJson> {
    const { name, content, contentType = 'application/octet-stream', ...rest } = upload;
    const { body } = await this.#connection.call({
      method: 'POST',
      path: '/v1/artifacts',
      query: { name },
      content,
      headers: { 'content-type': contentType },
      ...rest,
    });
    return body as ArtifactJson;
  }

  async ofJob(jobId: string, paging: Paging = {}): Promise<Page<ArtifactJson>> {
    const path = `/v1/jobs/${encodeURIComponent(jobId)}/artifacts`;
    const call = { method: 'GET', path, query: { ...paging } } as const;
    return (await this.#connection.call(call)).body as Page<ArtifactJson>;
  }

  /** Every artifact of a job, page by page. */
  allOfJob(jobId: string): Promise<ArtifactJson[]> {
    const path = `/v1/jobs/${encodeURIComponent(jobId)}/artifacts`;
    return allPages<ArtifactJson>(this.#connection, path);
  }

  /** One with a fresh link. */
  async get(id: string): Promise<ArtifactJson> {
    const path = `/v1/artifacts/${encodeURIComponent(id)}/link`;
    return (await this.#connection.call({ method: 'GET', path })).body as ArtifactJson;
  }

  /** The content, as it comes. */
  async download(
    artifact: Pick<ArtifactJson, 'url'>,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<ReadableStream<Uint8Array>> {
    const answer = await this.#connection.open(artifact.url, { headers: {}, signal });
    if (!answer.ok) throw errorOf(answer.status, await answer.json().catch(() => null));
    return answer.body ?? new Blob([]).stream();
  }
}
