// The same inside Fastify: a plugin that opens Pawl with the server and closes it after the last
// request.
//   npm run example examples/fastify/server.ts
//   curl http://127.0.0.1:3000/reports -H 'content-type: application/json' -d '{"year":2026}'
import { fastify, type FastifyInstance } from 'fastify';
import { defineJob, openPawl, type Pawl, typed } from 'pawl';

const report = defineJob('report', {
  input: typed<{ year: number }>(),
  run: ({ input, stage }) => stage('sum', () => `the report of ${input.year}`),
});

async function openJobs(app: FastifyInstance): Promise<Pawl> {
  const database = process.env['DATABASE'] ?? ':memory:';
  const pawl = await openPawl({ database, jobs: [report] });
  pawl.work();
  app.addHook('onClose', () => pawl.close());
  return pawl;
}

const app = fastify();
const pawl = await openJobs(app);

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
