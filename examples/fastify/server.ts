// The same inside Fastify: Pawl is opened and closed with the server. The dashboard is part of the
// application, behind the application's own access control.
//   npm run example examples/fastify/server.ts
//   curl http://127.0.0.1:3000/reports -H 'content-type: application/json' -d '{"year":2026}'
//   http://127.0.0.1:3000/admin/jobs, password: change me
import { fastify, type FastifyInstance } from 'fastify';
import { defineJob, openPawl, type Pawl, typed } from 'pawl';
import { handler } from '@pawl/server';
import { adminOf, CHALLENGE } from '../admin.ts';

const report = defineJob('report', {
  input: typed<{ year: number }>(),
  run: ({ input, stage }) => stage('sum', () => `the report of ${input.year}`),
});

async function openJobs(app: FastifyInstance): Promise<Pawl> {
  const database = process.env['DATABASE'] ?? ':memory:';
  const pawl = await openPawl({ database, jobs: [report] });
  pawl.work();
  // Running handlers finish and live streams end before the server waits for its connections.
  app.addHook('preClose', () => pawl.close());
  return pawl;
}

async function mountDashboard(app: FastifyInstance, pawl: Pawl): Promise<void> {
  const dashboard = await handler(pawl, {
    basePath: '/admin/jobs',
    identify: ({ headers }) => ({ principal: adminOf(headers.authorization)!, role: 'admin' }),
  });
  app.addHook('onClose', () => dashboard.close());
  await app.register(async (scope) => {
    // The API reads its bodies itself.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
    scope.addHook('onRequest', async (request, reply) => {
      if (adminOf(request.headers.authorization) !== null) return;
      await reply.code(401).headers(CHALLENGE).send();
    });
    for (const path of ['/admin/jobs', '/admin/jobs/*']) {
      scope.all(path, (request, reply) => {
        reply.hijack();
        dashboard.node(request.raw, reply.raw);
      });
    }
  });
}

const app = fastify();
const pawl = await openJobs(app);
await mountDashboard(app, pawl);

const body = {
  type: 'object',
  required: ['year'],
  properties: { year: { type: 'integer' } },
} as const;

app.post<{ Body: { year: number } }>('/reports', { schema: { body } }, async (request, reply) => {
  // A browser that sends its form twice gets the same job twice.
  const key = request.headers['idempotency-key'];
  const { id } = await pawl.enqueue(report, request.body, typeof key === 'string' ? { key } : {});
  return reply.code(202).send({ id });
});

app.get<{ Params: { id: string } }>('/reports/:id', async ({ params }) => {
  const { state, result } = await pawl.job(report, params.id).snapshot();
  return { state, result };
});

console.log(await app.listen({ port: Number(process.env['PORT'] ?? 3_000) }));
process.once('SIGTERM', () => void app.close());
