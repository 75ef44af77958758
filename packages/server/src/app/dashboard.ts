import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { FastifyPluginCallback, FastifyRequest } from 'fastify';
import { homeRoutes } from '../http/home.ts';
import type { OwnedPage } from '../http/plugin-pages.ts';
import { BARE_PAGE, type PageSettings } from 'pawl/internal/contract/page';

/** Inside the package once packed; in the repository, where Vite leaves it. */
const PLACES = [
  new URL('../dashboard/', import.meta.url),
  new URL('../../../dashboard/dist/', import.meta.url),
];

/** What the root of the server shows. */
export function home(
  landing: (request: FastifyRequest) => object,
  page: PageSettings = BARE_PAGE,
  pages: readonly OwnedPage[] = [],
): FastifyPluginCallback {
  const folder = PLACES.map((place) => fileURLToPath(place)).find((place) => existsSync(place));
  return homeRoutes({ dashboardFolder: folder ?? '', landing, page, pages });
}
