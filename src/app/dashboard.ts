import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { FastifyPluginCallback } from 'fastify';
import { homeRoutes } from '../http/home.ts';

/** Inside the package once packed; in the repository, where Vite leaves it. */
const PLACES = [
  new URL('../dashboard/', import.meta.url),
  new URL('../../dashboard/dist/', import.meta.url),
];

const LANDING = {
  title: 'Pawl',
  description: 'Durable jobs that only move forward.',
  links: [
    { rel: 'self', type: 'application/json', href: '/', title: 'This page' },
    { rel: 'alternate', type: 'text/html', href: '/', title: 'The dashboard' },
    { rel: 'service-desc', type: 'application/json', href: '/openapi.json', title: 'The API' },
    { rel: 'service-doc', type: 'text/html', href: '/docs', title: 'The API, to be read' },
  ],
};

/** What the root of the server shows. */
export function home(landing: () => object = () => LANDING): FastifyPluginCallback {
  const folder = PLACES.map((place) => fileURLToPath(place)).find((place) => existsSync(place));
  return homeRoutes({ dashboardFolder: folder ?? '', landing });
}
