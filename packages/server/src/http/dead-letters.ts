import { Type } from 'typebox';
import { PawlError } from 'pawl/internal/core/errors';
import { type App, callerOf, type Services, type Resource, routes } from './services.ts';
import { sendPage } from './page.ts';
import { readNear } from './replica-reads.ts';
import { DeadLetterSchema } from 'pawl/internal/contract/dead-letter';
import { IDEMPOTENT_BY_STATE } from 'pawl/internal/contract/headers';
import { JobSchema } from 'pawl/internal/contract/job';
import { ReasonSchema } from 'pawl/internal/contract/worker';
import { closed, Json, Label, Name, pagedBy, pageOf, Uuid } from 'pawl/internal/contract/values';
import { deadLetterJson, jobJson, jobUrl } from './view.ts';

const LetterParams = Type.Object({ id: Uuid });

function listLetters(app: App, services: Services): void {
  app.get(
    '/v1/dlq',
    {
      schema: {
        tags: ['Dead letters'],
        operationId: 'listDeadLetters',
        summary: 'Dead letters, newest first',
        querystring: closed({
          jobId: Type.Optional(Uuid),
          type: Type.Optional(Name),
          reasonCode: Type.Optional(ReasonSchema),
          fingerprint: Type.Optional(Label),
          isReplayed: Type.Optional(Type.Boolean()),
          ...pagedBy(Uuid),
        }),
        response: { 200: pageOf(DeadLetterSchema) },
      },
    },
    async (request, reply) => {
      const { cursor, limit = 50, ...filters } = request.query;
      const query = {
        ...filters,
        tenant: callerOf(request).tenant,
        limit: limit + 1,
        ...(cursor === undefined ? {} : { before: cursor }),
      };
      const letters = await readNear(services, { request, reply }, (from) =>
        from.deadLetters(query),
      );
      const page = letters.slice(0, limit);
      const nextCursor = letters.length > limit ? page.at(-1)!.id : null;
      return sendPage(reply, page.map(deadLetterJson), nextCursor);
    },
  );
}

function readLetter(app: App, { engine }: Services): void {
  app.get(
    '/v1/dlq/:id',
    {
      schema: {
        tags: ['Dead letters'],
        operationId: 'readDeadLetter',
        summary: 'One dead letter',
        params: LetterParams,
        response: { 200: DeadLetterSchema },
        errors: ['NOT_FOUND'],
      },
    },
    async (request) => {
      const { tenant } = callerOf(request);
      const { id } = request.params;
      const [letter] = await engine.deadLetters({ tenant, id, limit: 1 });
      if (letter === undefined) throw new PawlError('NOT_FOUND', `there is no dead letter ${id}`);
      return deadLetterJson(letter);
    },
  );
}

function replayLetter(app: App, { engine }: Services): void {
  app.post(
    '/v1/dlq/:id/replay',
    {
      schema: {
        tags: ['Dead letters'],
        operationId: 'replayDeadLetter',
        summary: 'Make a new job from a dead letter',
        description:
          'Linked to the dead job by `parentJobId`, with its input or the one given. A letter is ' +
          'replayed once: asking again answers with the job of the first time (200).',
        params: LetterParams,
        headers: IDEMPOTENT_BY_STATE,
        body: closed({ input: Type.Optional(Json) }),
        response: { 200: JobSchema, 202: JobSchema },
        errors: ['NOT_FOUND', 'UNKNOWN_TYPE'],
      },
    },
    async (request, reply) => {
      const { input } = request.body;
      const { kind, job } = await engine.replay({
        deadLetterId: request.params.id,
        caller: callerOf(request),
        ...(input === undefined ? {} : { input }),
      });
      return reply
        .code(kind === 'created' ? 202 : 200)
        .header('location', jobUrl(job.id))
        .send(jobJson(job));
    },
  );
}

/** `/v1/dlq`: what ended badly, and its second chance. */
export const deadLetters: Resource = routes(listLetters, readLetter, replayLetter);
