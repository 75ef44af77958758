import type { FastifyPluginCallback } from 'fastify';
import type { PageSettings } from 'pawl/internal/contract/page';
import { refuseFaulty } from 'pawl/internal/plugin/plugin-faults';
import type { StartedPlugin } from 'pawl/internal/plugin/started-plugin';
import { type OwnedPage, pluginPages } from '../http/plugin-pages.ts';
import { pluginRoutes } from '../http/plugin-routes.ts';
import type { ServerOptions } from '../http/server.ts';
import { home } from './dashboard.ts';

type PluginOptions = 'more' | 'pluginChecks' | 'pluginMetrics' | 'pluginScopes';

/** What plug-ins bring to the server: all of it is there by being listed. */
export function pluginServer(
  started: readonly StartedPlugin[],
  { page, stopping }: { readonly page: PageSettings; readonly stopping: AbortSignal },
): Required<Pick<ServerOptions, PluginOptions>> {
  refuseFaulty(started);
  const routes = started.flatMap(({ parts }) => parts.routes);
  const landing = started.map(({ parts }) => parts.landing).find((one) => one !== undefined);
  const pages = pagesOf(started);
  const more: FastifyPluginCallback[] = [
    pluginRoutes(routes, stopping),
    home(({ protocol, host }) => landing?.(`${protocol}://${host}`) ?? LANDING, page, pages),
  ];
  return {
    more: pages.length === 0 ? more : [...more, pluginPages(pages)],
    pluginChecks: started.flatMap(({ plugin, parts }) =>
      parts.checks.map((check) => ({ ...check, name: `${plugin.name}.${check.name}` })),
    ),
    pluginMetrics: started.flatMap(({ parts }) => parts.metrics),
    pluginScopes: started.flatMap(({ plugin }) => plugin.scopes ?? []),
  };
}

function pagesOf(started: readonly StartedPlugin[]): OwnedPage[] {
  return started.flatMap(({ plugin, parts }) =>
    parts.pages.map((page) => ({ ...page, plugin: plugin.name })),
  );
}

/** What programs get at the root where no plug-in has more to say. */
const LANDING = { title: 'Pawl', openapi: '/openapi.json', docs: '/docs' };
