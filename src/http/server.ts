import fastifySwagger from '@fastify/swagger';
import {
  registerAjvFormats,
  TypeBoxValidatorCompiler,
  type TypeBoxTypeProvider,
} from '@fastify/type-provider-typebox';
import { type FastifyInstance, fastify } from 'fastify';
import { deadLetters } from './dead-letters.ts';
import { events } from './events.ts';
import type { Face } from './face.ts';
import { health } from './health.ts';
import { jobTypes } from './job-types.ts';
import { jobs } from './jobs.ts';
import { lifecycles } from './lifecycles.ts';
import { operations } from './operations.ts';
import { sendProblem, unknownRoute } from './problem.ts';
import { queues } from './queues.ts';
import { JobEventSchema, JobSchema } from './schema/job.ts';
import { TypeSchema } from './schema/type.ts';
import { workers } from './workers.ts';

const BODY_BYTES_MAX = 1_048_576;

const RESOURCES = [
  health,
  jobTypes,
  lifecycles,
  jobs,
  operations,
  events,
  workers,
  deadLetters,
  queues,
];

/** The HTTP face of an engine. The caller listens and closes. */
export async function buildServer(face: Face): Promise<FastifyInstance> {
  registerAjvFormats();
  const app = fastify({ bodyLimit: BODY_BYTES_MAX, logger: false });
  app.setValidatorCompiler(TypeBoxValidatorCompiler);
  // Answers are built from typed views: serialising by schema would silently drop members.
  app.setSerializerCompiler(() => (data) => JSON.stringify(data));
  // A POST that needs nothing more than its address may leave the body out.
  app.addHook('preValidation', async (request) => {
    if (request.method === 'POST') request.body ??= {};
  });
  app.setErrorHandler(sendProblem);
  app.setNotFoundHandler(async (request, reply) =>
    sendProblem(unknownRoute(request), request, reply),
  );
  for (const schema of [JobSchema, JobEventSchema, TypeSchema]) app.addSchema(schema);
  await app.register(fastifySwagger, {
    openapi: { openapi: '3.1.1', info: { title: 'Pawl', version: '1' } },
  });
  const typed = app.withTypeProvider<TypeBoxTypeProvider>();
  for (const resource of RESOURCES) await typed.register(resource, face);
  app.get('/openapi.json', { schema: { summary: 'This API' } }, () => app.swagger());
  await app.ready();
  return app;
}
