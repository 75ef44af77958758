import { Type } from 'typebox';
import { mermaidOf } from '../core/diagram-mermaid.ts';
import { svgOf } from '../core/diagram-svg.ts';
import { PawlError } from '../core/errors.ts';
import type { Lifecycle } from '../core/lifecycle.ts';
import { type App, type Face, type Resource, routes } from './face.ts';

function lifecycleJson(lifecycle: Lifecycle): Record<string, unknown> {
  const { name, version, initial, places, transitions, defaults } = lifecycle;
  return { name, version, initial, places, transitions, defaults };
}

function listLifecycles(app: App, { engine }: Face): void {
  app.get('/v1/lifecycles', { schema: { summary: 'All lifecycles' } }, () => ({
    items: engine.context.registry.lifecycles.map(lifecycleJson),
    nextCursor: null,
  }));
}

function readLifecycle(app: App, { engine }: Face): void {
  app.get(
    '/v1/lifecycles/:name',
    {
      schema: {
        summary: 'One lifecycle: its table, or a diagram drawn from it',
        params: Type.Object({ name: Type.String() }),
        querystring: Type.Object({ format: Type.Optional(Type.Enum(['mermaid', 'svg'])) }),
      },
    },
    async (request, reply) => {
      const { name } = request.params;
      const lifecycle = engine.context.registry.newest(name);
      if (lifecycle === undefined) throw new PawlError('NOT_FOUND', `no lifecycle "${name}"`);
      switch (request.query.format) {
        case 'mermaid':
          return reply.type('text/plain; charset=utf-8').send(mermaidOf(lifecycle));
        case 'svg':
          return reply.type('image/svg+xml').send(svgOf(lifecycle));
        default:
          return lifecycleJson(lifecycle);
      }
    },
  );
}

/** `/v1/lifecycles`. */
export const lifecycles: Resource = routes(listLifecycles, readLifecycle);
