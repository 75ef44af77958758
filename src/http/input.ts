import { referenceOf } from '../artifact/reference.ts';
import { isSealed } from '../codec/sealed.ts';
import { PawlError } from '../core/errors.ts';
import type { JobRef } from '../core/job.ts';
import { type ArtifactFace, artifactLink } from './artifact-view.ts';
import { type App, type Face, refOf, type Resource, routes } from './face.ts';
import { JobParams } from './schema/job.ts';
import { Json } from './schema/values.ts';

/** A link to the artifact that an input stands for; null where its bytes are gone. */
async function linkTo(artifacts: ArtifactFace, ref: JobRef): Promise<string | null> {
  try {
    return artifactLink(artifacts, await artifacts.desk.find(ref));
  } catch (error) {
    if (error instanceof PawlError && error.code === 'NOT_FOUND') return null;
    throw error;
  }
}

function readInput(app: App, { engine, artifacts }: Face): void {
  app.get(
    '/v1/jobs/:id/input',
    {
      schema: {
        tags: ['Jobs'],
        operationId: 'readInput',
        summary: 'What a job was given',
        description:
          'The JSON as it was accepted. An input that was too large for the database is answered ' +
          'as its reference, `{"$artifact": …}`, with a signed link to it in the `Link` header. ' +
          'One that was encrypted before it was sent is answered as it is, with `Pawl-Sealed: ' +
          'true`: the platform has no key to it.',
        params: JobParams,
        response: { 200: Json },
        errors: ['NOT_FOUND'],
      },
    },
    async (request, reply) => {
      const { tenant, input } = await engine.job(refOf(request, request.params.id));
      if (isSealed(input)) void reply.header('pawl-sealed', 'true');
      const id = referenceOf(input);
      const link =
        id === null || artifacts === null ? null : await linkTo(artifacts, { tenant, id });
      if (link !== null) void reply.header('link', link);
      return reply.type('application/json').send(input);
    },
  );
}

/** `/v1/jobs/{id}/input`. */
export const input: Resource = routes(readInput);
