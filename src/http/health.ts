import type { Resource } from './face.ts';

/** `/livez`: the process answers. `/readyz`: the store does too. */
export const health: Resource = (app, { engine }, done) => {
  app.get('/livez', { schema: { summary: 'The process is alive' } }, () => ({ status: 'ok' }));

  app.get('/readyz', { schema: { summary: 'Work can be accepted' } }, async (_request, reply) => {
    try {
      await engine.context.store.now();
      return { status: 'ok', checks: { store: 'ok' } };
    } catch {
      return reply.code(503).send({ status: 'unavailable', checks: { store: 'unreachable' } });
    }
  });
  done();
};
