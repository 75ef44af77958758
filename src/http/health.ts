import { Type } from 'typebox';
import { type App, type Face, type Resource, routes } from './face.ts';
import { closed } from './schema/values.ts';

const Alive = closed({ status: Type.Literal('ok') });

const Ready = closed({
  status: Type.Enum(['ok', 'unavailable', 'draining']),
  checks: closed({ store: Type.Enum(['ok', 'unreachable']) }),
});

/** A database that does not answer in this time is as good as gone. */
const STORE_MS_MAX = 2_000;

function live(app: App): void {
  app.get(
    '/livez',
    {
      schema: {
        tags: ['Health'],
        operationId: 'isAlive',
        summary: 'The process is alive',
        response: { 200: Alive },
      },
    },
    () => ({ status: 'ok' as const }),
  );
}

async function storeAnswers({ engine }: Face): Promise<boolean> {
  const late = AbortSignal.timeout(STORE_MS_MAX);
  const { promise, resolve } = Promise.withResolvers<false>();
  late.addEventListener('abort', () => resolve(false), { once: true });
  const answer = engine.context.store.now().then(
    () => true,
    () => false,
  );
  return Promise.race([answer, promise]);
}

function ready(app: App, face: Face): void {
  app.get(
    '/readyz',
    {
      schema: {
        tags: ['Health'],
        operationId: 'isReady',
        summary: 'Work can be accepted',
        description:
          '503 while the database does not answer, and from the moment the server is told to ' +
          'stop: a load balancer then sends requests elsewhere while those under way are served.',
        response: { 200: Ready, 503: Ready },
      },
    },
    async (_request, reply) => {
      const isAnswering = await storeAnswers(face);
      const checks = { store: isAnswering ? ('ok' as const) : ('unreachable' as const) };
      if (!isAnswering) return reply.code(503).send({ status: 'unavailable', checks });
      if (face.status.isDraining) return reply.code(503).send({ status: 'draining', checks });
      return reply.code(200).send({ status: 'ok', checks });
    },
  );
}

/** `/livez`: the process answers. `/readyz`: the store does too, and the server goes on. */
export const health: Resource = routes(live, ready);
