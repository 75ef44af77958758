// Slow work behind Express: the request is answered at once, the job goes on after it.
//   npm run example examples/express/server.ts
//   curl http://127.0.0.1:3000/invoices -H 'content-type: application/json' -d '{"order":17}'
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express, { type ErrorRequestHandler } from 'express';
import { Type } from 'typebox';
import { defineJob, fromTypebox, isPawlError, openPawl } from 'pawl';

const invoice = defineJob('invoice', {
  input: fromTypebox(Type.Object({ order: Type.Integer() })),
  run: ({ input, stage }) => stage('write', () => `the invoice of order ${input.order}`),
});

const pawl = await openPawl({ database: process.env['DATABASE'] ?? ':memory:', jobs: [invoice] });
pawl.work();

const app = express();
app.use(express.json());

app.post('/invoices', async (request, response) => {
  // A body that does not fit is refused by the job's own schema.
  const input = request.body as { order: number };
  const key = request.get('idempotency-key');
  const job = await pawl.enqueue(invoice, input, key === undefined ? {} : { key });
  response.status(202).location(`/invoices/${job.id}`).json({ id: job.id });
});

app.get('/invoices/:id', async (request, response) => {
  const { state, result } = await pawl.job(invoice, request.params.id).snapshot();
  response.json({ state, result });
});

/** Pawl's errors know their status, their code and what to do next. */
const answerErrors: ErrorRequestHandler = (error: unknown, _request, response, next) => {
  if (!isPawlError(error)) return next(error);
  const { status, code, message, hint } = error;
  response.status(status).json({ status, code, detail: message, hint });
};
app.use(answerErrors);

const server = app.listen(Number(process.env['PORT'] ?? 3_000), '127.0.0.1');
await once(server, 'listening');
console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
process.once('SIGTERM', () => server.close(() => void pawl.close()));
