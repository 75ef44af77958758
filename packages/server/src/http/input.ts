import { referenceOf } from 'pawl/internal/artifact/reference';
import { isSealed } from 'pawl/internal/codec/sealed';
import { PawlError } from 'pawl/internal/core/errors';
import type { JobRef } from 'pawl/internal/core/job';
import { inputValue } from 'pawl/internal/engine/by-reference';
import { type ArtifactServices, artifactLink } from './artifact-view.ts';
import { type App, type Services, refOf, type Resource, routes } from './services.ts';
import { JobParams } from 'pawl/internal/contract/job';
import { Json } from 'pawl/internal/contract/values';
import { beginningOf } from './value-body.ts';

/** A link to the artifact that an input stands for; null where its bytes are gone. */
async function linkTo(artifacts: ArtifactServices, ref: JobRef): Promise<string | null> {
  try {
    return artifactLink(artifacts, await artifacts.access.find(ref));
  } catch (error) {
    if (error instanceof PawlError && error.code === 'NOT_FOUND') return null;
    throw error;
  }
}

function readInput(app: App, { engine, artifacts }: Services): void {
  app.get(
    '/v1/jobs/:id/input',
    {
      schema: {
        tags: ['Jobs'],
        operationId: 'readInput',
        summary: 'What a job was given',
        description:
          'The JSON as it was accepted, whatever its size. One that names an uploaded artifact, ' +
          '`{"$artifact": …}`, is answered so, with a signed link to it in the `Link` header. ' +
          'One that was encrypted before it was sent is answered as it is, with `Pawl-Sealed: ' +
          'true`: the platform has no key to it.',
        params: JobParams,
        response: { 200: Json },
        errors: ['NOT_FOUND'],
      },
    },
    async (request, reply) => {
      const job = await engine.job(refOf(request, request.params.id));
      const { tenant, input } = job;
      void reply.type('application/json');
      const value = artifacts === null ? null : await inputValue(artifacts.access, job);
      if (value !== null) {
        const { beginning, body } = await beginningOf(value);
        if (isSealed(beginning)) void reply.header('pawl-sealed', 'true');
        return reply.send(body);
      }
      if (isSealed(input)) void reply.header('pawl-sealed', 'true');
      const id = referenceOf(input);
      const link =
        id === null || artifacts === null ? null : await linkTo(artifacts, { tenant, id });
      if (link !== null) void reply.header('link', link);
      return reply.send(input);
    },
  );
}

/** `/v1/jobs/{id}/input`. */
export const input: Resource = routes(readInput);
