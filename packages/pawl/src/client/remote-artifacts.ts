import type { Content } from '../artifact/artifact-store.ts';
import { isJson, referenceOf, textIn } from '../artifact/reference.ts';
import { RESULT_VALUE } from '../core/value-name.ts';
import type { Job, JsonText } from '../core/job.ts';
import type { NewArtifact } from '../engine/artifacts.ts';
import type { Ownership } from '../engine/owner.ts';
import type { ArtifactJson } from '../contract/artifact.ts';
import type { Artifact, ArtifactRef } from '../records/artifacts.ts';
import { type Connection, errorOf } from './connection.ts';

/** Options of `RemoteArtifacts`. */
export interface RemoteArtifactsOptions {
  readonly connection: Connection;
  /** The tenant that handlers are told of; the server goes by the credential alone. */
  readonly tenant?: string;
}

/**
 * Artifacts of a Pawl server, as handlers of a remote worker use them. A location of bytes is a
 * signed link.
 */
export class RemoteArtifacts {
  readonly #connection: Connection;
  readonly #tenant: string;

  constructor({ connection, tenant = 'default' }: RemoteArtifactsOptions) {
    this.#connection = connection;
    this.#tenant = tenant;
  }

  async put(held: Ownership, artifact: NewArtifact): Promise<Artifact> {
    const { ref } = held;
    const { name, contentType, content } = artifact;
    const body = await this.#connection.put({
      path: `/v1/jobs/${ref.id}/artifacts/${encodeURIComponent(name)}`,
      query: shownBy(held),
      contentType,
      content,
    });
    return this.#artifactOf(body as ArtifactJson);
  }

  async find({ id }: ArtifactRef, held: Ownership | null = null): Promise<Artifact> {
    const path = `/v1/artifacts/${encodeURIComponent(id)}/link`;
    const query = held === null ? {} : { jobId: held.ref.id, ...shownBy(held) };
    const { body } = await this.#connection.call({ method: 'GET', path, query });
    return this.#artifactOf(body as ArtifactJson);
  }

  keepResult(held: Ownership, content: Content): Promise<Artifact> {
    return this.put(held, { name: RESULT_VALUE, contentType: 'application/json', content });
  }

  async inputOf({ id, tenant }: Job): Promise<JsonText> {
    const path = `/v1/jobs/${encodeURIComponent(id)}/input`;
    const { body } = await this.#connection.call({ method: 'GET', path });
    const input = JSON.stringify(body);
    const reference = referenceOf(input);
    if (reference === null) return input;
    const found = await this.find({ tenant, id: reference });
    return isJson(found) ? textIn(await this.open(found)) : input;
  }

  async resultOf({ result }: Pick<Job, 'result'>): Promise<JsonText> {
    const reference = result === null ? null : referenceOf(result);
    if (reference === null) return result ?? 'null';
    const found = await this.find({ tenant: this.#tenant, id: reference });
    return isJson(found) ? textIn(await this.open(found)) : (result ?? 'null');
  }

  async open({ location }: Artifact): Promise<Content> {
    const options = { headers: {}, signal: new AbortController().signal };
    const answer = await this.#connection.open(location, options);
    if (!answer.ok) throw errorOf(answer.status, await answer.json().catch(() => null));
    return (answer.body ?? nothing()) as Content;
  }

  #artifactOf(json: ArtifactJson): Artifact {
    const { url, urlExpiresAt: _, createdAt, expiresAt, ...rest } = json;
    return {
      ...rest,
      tenant: this.#tenant,
      location: url,
      createdAt: Date.parse(createdAt),
      expiresAt: expiresAt === null ? null : Date.parse(expiresAt),
    };
  }
}

/** How an attempt names itself in an address. */
function shownBy({ owner: workerId, epoch, token }: Ownership) {
  return { workerId, epoch, ...(token === undefined ? {} : { token }) };
}

async function* nothing(): Content {
  // An empty artifact comes without a body.
}
