import { Type } from 'typebox';
import { PawlError } from '../core/errors.ts';
import { type App, callerOf, type Face, type Resource, routes } from './face.ts';
import { ReasonSchema } from './schema/worker.ts';
import { closed, Json, Name, Uuid } from './schema/values.ts';
import { deadLetterJson, jobJson, jobUrl } from './view.ts';

const LetterParams = Type.Object({ id: Uuid });

function listLetters(app: App, { engine }: Face): void {
  app.get(
    '/v1/dlq',
    {
      schema: {
        summary: 'Dead letters, newest first',
        querystring: closed({
          type: Type.Optional(Name),
          reasonCode: Type.Optional(ReasonSchema),
          fingerprint: Type.Optional(Type.String()),
          limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })),
          cursor: Type.Optional(Uuid),
        }),
      },
    },
    async (request) => {
      const { cursor, limit = 50, ...filters } = request.query;
      const letters = await engine.deadLetters({
        ...filters,
        tenant: callerOf(request).tenant,
        limit: limit + 1,
        ...(cursor === undefined ? {} : { before: cursor }),
      });
      const page = letters.slice(0, limit);
      const nextCursor = letters.length > limit ? page.at(-1)!.id : null;
      return { items: page.map(deadLetterJson), nextCursor };
    },
  );
}

function readLetter(app: App, { engine }: Face): void {
  app.get(
    '/v1/dlq/:id',
    { schema: { summary: 'One dead letter', params: LetterParams } },
    async (request) => {
      const { tenant } = callerOf(request);
      const { id } = request.params;
      const [letter] = await engine.deadLetters({ tenant, id, limit: 1 });
      if (letter === undefined) throw new PawlError('NOT_FOUND', `there is no dead letter ${id}`);
      return deadLetterJson(letter);
    },
  );
}

function replayLetter(app: App, { engine }: Face): void {
  app.post(
    '/v1/dlq/:id/replay',
    {
      schema: {
        summary: 'Make a new job from a dead letter',
        params: LetterParams,
        body: closed({ input: Type.Optional(Json) }),
      },
    },
    async (request, reply) => {
      const input = request.body.input;
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
