// Slow work behind Express: the request is answered at once, the job runs after it. The dashboard
// is part of the application, behind the application's own access control.
//   npm run example examples/express/server.ts
//   curl http://127.0.0.1:3000/invoices -H 'content-type: application/json' -d '{"order":17}'
//   http://127.0.0.1:3000/admin/jobs, password: change me
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import { Type } from 'typebox';
import { defineJob, fromTypebox, isPawlError, openPawl } from 'pawl';
import { handler } from '@pawl/server';
import { adminOf, CHALLENGE } from '../admin.ts';

const invoice = defineJob('invoice', {
  input: fromTypebox(Type.Object({ order: Type.Integer() })),
  run: ({ input, stage }) => stage('write', () => `the invoice of order ${input.order}`),
});

const pawl = await openPawl({ database: process.env['DATABASE'] ?? ':memory:', jobs: [invoice] });
pawl.work();

const dashboard = await handler(pawl, {
  basePath: '/admin/jobs',
  identify: ({ headers }) => ({ principal: adminOf(headers.authorization)!, role: 'admin' }),
});

const app = express();

const requireAdmin: RequestHandler = (request, response, next) => {
  if (adminOf(request.get('authorization')) !== null) return next();
  response.status(401).set(CHALLENGE).end();
};
// Before the body parsers: the API reads its bodies itself.
app.use('/admin/jobs', requireAdmin, dashboard.node);
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

/** Pawl's errors have a status, a code and what to do next. */
const answerErrors: ErrorRequestHandler = (error: unknown, _request, response, next) => {
  if (!isPawlError(error)) return next(error);
  const { status, code, message, hint } = error;
  response.status(status).json({ status, code, detail: message, hint });
};
app.use(answerErrors);

const server = app.listen(Number(process.env['PORT'] ?? 3_000), '127.0.0.1');
await once(server, 'listening');
console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);

async function shutDown(): Promise<void> {
  const closed = once(server, 'close');
  server.close(); // no new requests
  await pawl.close(); // running handlers finish, live streams of the dashboard end
  await dashboard.close();
  server.closeIdleConnections();
  await closed;
}
process.once('SIGTERM', () => void shutDown());
