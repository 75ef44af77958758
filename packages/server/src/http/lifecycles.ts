import { Type } from 'typebox';
import { mermaidOf } from 'pawl/internal/diagram/mermaid';
import { svgOf } from 'pawl/internal/diagram/svg';
import { PawlError } from 'pawl/internal/core/errors';
import type { Lifecycle } from 'pawl/internal/core/lifecycle';
import { cutPage, sendPage } from './page.ts';
import { type App, type Services, type Resource, routes } from './services.ts';
import { type LifecycleJson, LifecycleSchema } from 'pawl/internal/contract/lifecycle';
import { closed, PAGING, pageOf, text } from 'pawl/internal/contract/values';

function lifecycleJson(lifecycle: Lifecycle): LifecycleJson {
  const { name, version, initial, places, transitions, defaults } = lifecycle;
  return {
    name,
    version,
    initial,
    places: [...places],
    transitions: [...transitions],
    defaults,
  };
}

function placeOf({ name, version }: Lifecycle): string {
  return `${name}.${version}`;
}

function listLifecycles(app: App, { engine }: Services): void {
  app.get(
    '/v1/lifecycles',
    {
      schema: {
        tags: ['Types'],
        operationId: 'listLifecycles',
        summary: 'All lifecycles',
        querystring: closed(PAGING),
        response: { 200: pageOf(LifecycleSchema) },
      },
    },
    async (request, reply) => {
      const all = engine.registry.lifecycles;
      const places = all.map(placeOf);
      const { page, nextCursor } = cutPage(all, request.query, {
        placeOf,
        isAfter: (place, last) => places.indexOf(place) > places.indexOf(last),
      });
      return sendPage(reply, page.map(lifecycleJson), nextCursor);
    },
  );
}

function readLifecycle(app: App, { engine }: Services): void {
  app.get(
    '/v1/lifecycles/:name',
    {
      schema: {
        tags: ['Types'],
        operationId: 'readLifecycle',
        summary: 'One lifecycle: its table, or a diagram drawn from it',
        params: Type.Object({ name: text(128, 1) }),
        querystring: closed({ format: Type.Optional(Type.Enum(['mermaid', 'svg'])) }),
        response: {
          200: {
            description: 'The table, or a diagram.',
            content: {
              'application/json': { schema: LifecycleSchema },
              'text/plain': { schema: Type.String() },
              'image/svg+xml': { schema: Type.String() },
            },
          },
        },
        errors: ['NOT_FOUND'],
      },
    },
    async (request, reply) => {
      const { name } = request.params;
      const lifecycle = engine.registry.newest(name);
      if (lifecycle === undefined) throw new PawlError('NOT_FOUND', `no lifecycle "${name}"`);
      switch (request.query.format) {
        case 'mermaid':
          return reply.type('text/plain; charset=utf-8').send(mermaidOf(lifecycle));
        case 'svg':
          return reply
            .type('image/svg+xml')
            .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'")
            .send(svgOf(lifecycle));
        default:
          return reply.send(lifecycleJson(lifecycle));
      }
    },
  );
}

/** `/v1/lifecycles`. */
export const lifecycles: Resource = routes(listLifecycles, readLifecycle);
