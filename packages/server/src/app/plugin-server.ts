import type { FastifyPluginCallback } from 'fastify';
import type { PageSettings } from 'pawl/internal/contract/page';
import type { StartedPlugin } from 'pawl/internal/plugin/started-plugin';
import { pluginRoutes } from '../http/plugin-routes.ts';
import { home } from './dashboard.ts';

/** What plug-ins bring to the server. */
export function pluginServer(
  started: readonly StartedPlugin[],
  { page, stopping }: { readonly page: PageSettings; readonly stopping: AbortSignal },
): { readonly more: readonly FastifyPluginCallback[] } {
  const routes = started.flatMap(({ parts }) => parts.routes);
  const landing = started.map(({ parts }) => parts.landing).find((one) => one !== undefined);
  return {
    more: [
      pluginRoutes(routes, stopping),
      home(({ protocol, host }) => landing?.(`${protocol}://${host}`) ?? LANDING, page),
    ],
  };
}

/** What programs get at the root where no plug-in has more to say. */
const LANDING = { title: 'Pawl', openapi: '/openapi.json', docs: '/docs' };
