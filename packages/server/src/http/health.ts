import { Type } from 'typebox';
import { type App, type Services, type Resource, routes } from './services.ts';
import { closed } from 'pawl/internal/contract/values';
import { type Trouble, TROUBLES } from 'pawl/internal/store/health';

const Alive = closed({ status: Type.Literal('ok') });

const Ready = closed({
  status: Type.Enum(['ok', 'unavailable', 'draining']),
  checks: closed({ store: Type.Enum(['ok', 'unreachable', 'behind', ...TROUBLES]) }),
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

type StoreState = 'ok' | 'unreachable' | 'behind' | Trouble;

async function storeState({ engine }: Services): Promise<StoreState> {
  const late = AbortSignal.timeout(STORE_MS_MAX);
  const { promise, resolve } = Promise.withResolvers<StoreState>();
  late.addEventListener('abort', () => resolve('unreachable'), { once: true });
  const answer = async (): Promise<StoreState> => {
    await engine.now();
    return (await engine.health()).state;
  };
  return Promise.race([answer().catch((): StoreState => 'unreachable'), promise]);
}

function ready(app: App, services: Services): void {
  app.get(
    '/readyz',
    {
      schema: {
        tags: ['Health'],
        operationId: 'isReady',
        summary: 'Work can be accepted',
        description:
          '503 while the database does not answer, its schema is `behind` what this release ' +
          'needs (it was restored, say, and migrations are pending) or it takes no writes: its ' +
          'disk is `full`, `readOnly` or `failing`, which ends automatically, or the database is ' +
          '`damaged`. Also from the moment the server is asked to stop: a load balancer then ' +
          'sends requests elsewhere while those under way are served.',
        response: { 200: Ready, 503: Ready },
      },
    },
    async (_request, reply) => {
      const checks = { store: await storeState(services) };
      if (checks.store !== 'ok') return reply.code(503).send({ status: 'unavailable', checks });
      if (services.status.isDraining) return reply.code(503).send({ status: 'draining', checks });
      return reply.code(200).send({ status: 'ok', checks });
    },
  );
}

/** `/livez`: the process answers. `/readyz`: the store does too, and the server goes on. */
export const health: Resource = routes(live, ready);
