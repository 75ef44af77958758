import { Readable } from 'node:stream';
import { Type } from 'typebox';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify';
import type { Content } from 'pawl/internal/artifact/artifact-store';
import { verifyLink } from 'pawl/internal/artifact/link';
import { RESULT_VALUE } from 'pawl/internal/core/value-name';
import { invalid, PawlError } from 'pawl/internal/core/errors';
import { derivedId } from 'pawl/internal/core/ids';
import type { NewArtifact } from 'pawl/internal/engine/artifacts';
import type { Artifact } from 'pawl/internal/records/artifacts';
import { HOLDER_QUERY, heldIn, holderOf, READER_QUERY } from './artifact-reader.ts';
import { ARTIFACTS_PATH, type ArtifactServices, artifactJson } from './artifact-view.ts';
import { type BodyDeadlines, flowing } from './body-deadline.ts';
import { rangeOf, safeHeaders } from './download.ts';
import { type App, callerOf, ownerOf, refOf } from './services.ts';
import {
  ArtifactParams,
  ArtifactSchema,
  Bytes,
  ContentHeaders,
  UploadHeaders,
  UploadQuery,
} from 'pawl/internal/contract/artifact';
import { JobParams } from 'pawl/internal/contract/job';
import { cutPage, sendPage } from './page.ts';
import { closed, Label, nothing, PAGING, pageOf, Uuid } from 'pawl/internal/contract/values';

const tags = ['Artifacts'];

const BYTES_TEXT =
  'The content, of any type: its `content-type` is kept. It may take as long as bytes flow: one ' +
  'that stops for 30 s, or brings less than 1 KiB a second, is cut off (408).';

/** What the routes that take bytes work with. */
interface Intake extends ArtifactServices {
  readonly deadlines: BodyDeadlines;
}

/** The body as it comes, or nothing at all. */
function contentOf(request: FastifyRequest, { deadlines }: Intake): Content {
  return request.body instanceof Readable ? flowing(request.body, deadlines) : Readable.from([]);
}

/** RFC 9530: `sha-256=:base64:`, among other algorithms that are not looked at. */
function digestOf(request: FastifyRequest): string | undefined {
  const header = request.headers['content-digest'];
  if (header === undefined) return undefined;
  const found = /(?:^|,\s*)sha-256=:([\w+/=]+):/.exec(String(header));
  if (found !== null) return Buffer.from(found[1]!, 'base64').toString('hex');
  const message = 'must have a SHA-256, as sha-256=:<base64>:';
  throw invalid([{ pointer: '/content-digest', message }]);
}

function receivedArtifact(services: Intake, request: FastifyRequest, name: string): NewArtifact {
  const sha256 = digestOf(request);
  const length = request.headers['content-length'];
  return {
    name,
    contentType: request.headers['content-type'] ?? 'application/octet-stream',
    content: contentOf(request, services),
    ...(length === undefined ? {} : { size: Number(length) }),
    ...(sha256 === undefined ? {} : { sha256 }),
  };
}

/** Refusals in the middle of a body end the connection: the rest of it is not wanted. */
async function receive(
  request: FastifyRequest,
  reply: FastifyReply,
  store: () => Promise<Artifact>,
): Promise<Artifact> {
  try {
    return await store();
  } catch (error) {
    void reply.header('connection', 'close');
    if (!request.raw.readableAborted) throw error;
    throw new PawlError('VALIDATION_ERROR', 'the upload was interrupted', { cause: error });
  }
}

/** The same key stands for the same artifact. */
function idOfKey(tenant: string, key: string): string {
  return derivedId(0, `artifact/${tenant}/${key}`);
}

function uploadInput(app: App, services: Intake): void {
  app.post(
    ARTIFACTS_PATH,
    {
      config: { isLong: true, isStreamed: true },
      schema: {
        tags,
        operationId: 'uploadArtifact',
        summary: 'Upload an input; the body is the content',
        description:
          'For inputs that are too large for a job: the job names the artifact in its input, as ' +
          '`{"$artifact": "<id>"}`. Sent again with the same `id` (or `Idempotency-Key`) and ' +
          'content it is the same.',
        querystring: UploadQuery,
        headers: UploadHeaders,
        bytes: BYTES_TEXT,
        response: { 201: ArtifactSchema },
        errors: ['ALREADY_EXISTS', 'PAYLOAD_TOO_LARGE', 'QUOTA_EXCEEDED', 'STORAGE_FULL'],
      },
    },
    async (request, reply) => {
      const { name = 'upload' } = request.query;
      const { tenant } = callerOf(request);
      const key = request.headers['idempotency-key'];
      const id = request.query.id ?? (key === undefined ? undefined : idOfKey(tenant, key));
      const sent = receivedArtifact(services, request, name);
      const asked = id === undefined ? sent : { ...sent, id };
      const artifact = await receive(request, reply, () => services.access.upload(tenant, asked));
      const json = artifactJson(services, artifact);
      return reply.code(201).header('location', json.url).send(json);
    },
  );
}

function putArtifact(app: App, services: Intake): void {
  app.put(
    '/v1/jobs/:id/artifacts/:name',
    {
      config: { isLong: true, isStreamed: true },
      schema: {
        tags,
        operationId: 'putArtifact',
        summary: 'An artifact of a job, by its owner; the body is the content',
        description:
          'Durable once this is answered, and only if the job was still held by this worker. ' +
          'It takes the place of the artifact of the same name; a repeat has no other effect. ' +
          'Others see it once the job has succeeded, or before if its type declares it a ' +
          'preview; it goes when the job ends otherwise. The name `$result` keeps a result that ' +
          'is too large to be sent: `complete` with `{"$artifact": "<id>"}`. Other names that ' +
          'begin with `$` are refused.',
        params: Type.Object({ ...JobParams.properties, name: Label }),
        querystring: closed(HOLDER_QUERY),
        headers: ContentHeaders,
        bytes: BYTES_TEXT,
        response: { 201: ArtifactSchema },
        errors: ['NOT_FOUND', 'LEASE_LOST', 'PAYLOAD_TOO_LARGE', 'QUOTA_EXCEEDED', 'STORAGE_FULL'],
      },
    },
    async (request, reply) => {
      const { workerId, epoch, token } = request.query;
      const { id, name } = request.params;
      const held = { ref: refOf(request, id), owner: ownerOf(request, workerId), epoch, token };
      const sent = receivedArtifact(services, request, name);
      const artifact = await receive(request, reply, () =>
        name === RESULT_VALUE
          ? services.access.keepResult(held, sent.content)
          : services.access.put(held, sent),
      );
      return reply.code(201).send(artifactJson(services, artifact, held));
    },
  );
}

function listArtifacts(app: App, services: ArtifactServices): void {
  app.get(
    '/v1/jobs/:id/artifacts',
    {
      schema: {
        tags,
        operationId: 'listArtifacts',
        summary: "A job's artifacts, with fresh links",
        description:
          'Of a job that has succeeded. Before, only those that its type declares to be ' +
          'previews, and to its owner (`workerId`, `epoch`) all of them; after another end, none.',
        params: JobParams,
        querystring: closed({ ...READER_QUERY, ...PAGING }),
        response: { 200: pageOf(ArtifactSchema) },
        errors: ['NOT_FOUND'],
      },
    },
    async (request, reply) => {
      const job = refOf(request, request.params.id);
      const held = heldIn(request, { ...request.query, jobId: request.params.id });
      const found = await services.access.list(job, held);
      const places = found.map(({ id }) => id);
      const { page, nextCursor } = cutPage(found, request.query, {
        placeOf: ({ id }) => id,
        isAfter: (place, last) => places.indexOf(place) > places.indexOf(last),
      });
      const items = page.map((one) => artifactJson(services, one, held));
      return sendPage(reply, items, nextCursor);
    },
  );
}

function readLink(app: App, services: ArtifactServices): void {
  app.get(
    `${ARTIFACTS_PATH}/:id/link`,
    {
      schema: {
        tags,
        operationId: 'readArtifactLink',
        summary: 'An artifact with a fresh link',
        description:
          'One that is seen: see the list of a job. The attempt that owns `jobId` names itself ' +
          'by `workerId` and `epoch`, and sees all artifacts of that job.',
        params: ArtifactParams,
        querystring: closed({ ...READER_QUERY, jobId: Type.Optional(Uuid) }),
        response: { 200: ArtifactSchema },
        errors: ['NOT_FOUND'],
      },
    },
    async (request) => {
      const held = heldIn(request, request.query);
      const artifact = await services.access.find(refOf(request, request.params.id), held);
      return artifactJson(services, artifact, held);
    },
  );
}

function download(app: App, services: ArtifactServices): void {
  app.get(
    `${ARTIFACTS_PATH}/:id`,
    {
      // A link allows what it says: reading the headers alone is another method.
      exposeHeadRoute: false,
      config: { isLong: true },
      schema: {
        tags,
        operationId: 'downloadArtifact',
        summary: 'Download by a signed link, whole or one range of bytes',
        description:
          'The link comes with the artifact and is its own credential: it must be used to the ' +
          'byte as it was given. The `ETag` is the hash of the content.',
        params: ArtifactParams,
        response: {
          200: Bytes,
          206: { ...Bytes, description: 'The requested range.' },
          304: nothing('The content is known already.'),
        },
        errors: ['LINK_INVALID', 'LINK_EXPIRED', 'NOT_FOUND', 'RANGE_NOT_SATISFIABLE'],
      },
    },
    async (request, reply) => {
      const now = services.clock.now();
      const { method, url } = request;
      const claims = verifyLink({ method, url }, { keys: services.keys, now });
      const { tenant, artifactId: id } = claims;
      const { artifact, isFinal } = await services.access.look({ tenant, id }, holderOf(claims));
      if (artifact.sha256 !== claims.version) {
        throw new PawlError('NOT_FOUND', 'the artifact was replaced by another version');
      }
      const headers = safeHeaders(artifact, { claims, now, isFinal });
      const { 'if-none-match': known, 'if-range': condition } = request.headers;
      if (known === headers.etag) return reply.headers(headers).code(304).send();
      const isRange = condition === undefined || condition === headers.etag;
      const range = isRange ? rangeOf(request.headers.range, artifact.size) : null;
      if (range === 'beyond') return refuseRange(reply, artifact.size);
      const content = await services.access.open(artifact, range ?? undefined);
      // Only now is it sure that the content is there: an error must not be kept by a cache.
      void reply.headers(headers);
      const { first, last } = range ?? { first: 0, last: artifact.size - 1 };
      if (range !== null) {
        void reply.code(206).header('content-range', `bytes ${first}-${last}/${artifact.size}`);
      }
      return reply
        .header('content-length', last - first + 1)
        .send(Readable.from(content, { objectMode: false }));
    },
  );
}

function refuseRange(reply: FastifyReply, size: number): never {
  void reply.header('content-range', `bytes */${size}`);
  throw new PawlError('RANGE_NOT_SATISFIABLE', `the artifact has ${size} bytes`);
}

/** `/v1/artifacts` and the artifacts of jobs: bytes, streamed in and out. */
export function artifactRoutes(
  artifacts: ArtifactServices,
  deadlines: BodyDeadlines,
): FastifyPluginCallback {
  return (untyped, _options, done) => {
    untyped.removeAllContentTypeParsers();
    untyped.addContentTypeParser('*', (_request, body, next) => next(null, body));
    const app = untyped.withTypeProvider<TypeBoxTypeProvider>();
    const services = { ...artifacts, deadlines };
    const routes = [uploadInput, putArtifact, listArtifacts, readLink, download];
    for (const register of routes) register(app, services);
    done();
  };
}
