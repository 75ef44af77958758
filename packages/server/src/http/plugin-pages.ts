import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyPluginCallback } from 'fastify';
import { Type } from 'typebox';
import type { PageEntry } from 'pawl/internal/contract/page';
import { closed, text } from 'pawl/internal/contract/values';
import { PawlError } from 'pawl/internal/core/errors';
import type { PluginPage } from 'pawl/internal/plugin/plugin';

/** A page with the plug-in that brings it. */
export interface OwnedPage extends PluginPage {
  readonly plugin: string;
}

function fileOf({ module }: OwnedPage): string {
  return basename(fileURLToPath(module));
}

/** The page as the dashboard is told of it; addresses are relative, for proxies with a prefix. */
export function pageEntry(page: OwnedPage): PageEntry {
  const { plugin, path, title } = page;
  return { plugin, path, title, module: `./plugins/${plugin}/${encodeURIComponent(fileOf(page))}` };
}

const SCRIPT = 'text/javascript';

const MODULE_DOC = {
  tags: ['Health'],
  operationId: 'readPluginPage',
  summary: 'A page that a plug-in adds to the dashboard',
  params: closed({ plugin: text(31, 1), file: text(200, 1) }),
  response: {
    200: {
      description: 'An ES module that exports `mount(element, api)`.',
      content: { [SCRIPT]: { schema: Type.String() } },
    },
  },
};

/** Read once, so that a file that is missing is found at the start and not by its first reader. */
function readModule(page: OwnedPage) {
  const bytes = readFileSync(page.module);
  const tag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 20)}"`;
  return { bytes, tag };
}

/** The modules of the pages, which browsers load before anybody has signed in. */
export function pluginPages(pages: readonly OwnedPage[]): FastifyPluginCallback {
  const modules = new Map(
    pages.map((page) => [`${page.plugin}/${fileOf(page)}`, readModule(page)]),
  );
  return (app, _options, done) => {
    app.get<{ Params: { plugin: string; file: string } }>(
      '/plugins/:plugin/:file',
      { schema: MODULE_DOC },
      async ({ params: { plugin, file }, headers }, reply) => {
        const found = modules.get(`${plugin}/${file}`);
        if (found === undefined) throw new PawlError('NOT_FOUND', 'there is no such page');
        void reply.header('etag', found.tag).header('cache-control', 'no-cache');
        if (headers['if-none-match'] === found.tag) return reply.code(304).send();
        return reply.type(`${SCRIPT}; charset=utf-8`).send(found.bytes);
      },
    );
    done();
  };
}
