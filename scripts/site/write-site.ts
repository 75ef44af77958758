// Writes the pages of one version of the site beside its script and its style sheet.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { inRepository } from '../run/repository.ts';
import { type Frame, pageHtml, type SitePage } from './layout.ts';
import { readDocument } from './markdown.ts';
import { chaptersOf } from './menu.ts';
import { attachedName, rootOf, sitePages } from './pages.ts';
import { searchIndexOf } from './search-index.ts';

/** What a page asks for when it is opened. */
export interface SiteFacts {
  /** The newest first. */
  readonly versions: readonly string[];
  /** Where the dashboard is, from the root of the site; null: the site is on its own. */
  readonly dashboard: string | null;
}

export const SITE_FACTS = 'site.json';

export function siteVersion(): string {
  const manifest = readFileSync(inRepository('packages/pawl/package.json'), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}

function write(folder: string, name: string, text: string): void {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Says that there is no such page; links of it start at `root`. */
export function notFoundPage(root: string): SitePage {
  const html =
    '<h1 id="page-not-found">Page not found</h1>\n' +
    '<p>This version of the documentation has no page at this address. Search for it, or start ' +
    `at <a href="${root}contents.html">all pages</a>.</p>\n`;
  return { name: '404', title: 'Page not found', html, headings: [], root };
}

export function siteFrame(): Frame {
  const contents = readFileSync(inRepository('docs/README.md'), 'utf8');
  return { chapters: chaptersOf(contents, new Set(sitePages().keys())), version: siteVersion() };
}

export function writeSite(folder: string): void {
  const paths = sitePages();
  const names = new Set(paths.keys());
  const frame = siteFrame();
  const attached = new Set<string>();
  const pages = [...paths].map(([name, path]): SitePage => {
    const document = readDocument(readFileSync(inRepository(path), 'utf8'), { path, names });
    for (const file of document.attached) attached.add(file);
    return { name, ...document, root: rootOf(name) };
  });
  for (const page of [...pages, notFoundPage('./')]) {
    write(folder, `${page.name}.html`, pageHtml(page, frame));
  }
  for (const file of attached) cpSync(inRepository(file), join(folder, attachedName(file)));
  const facts: SiteFacts = { versions: [frame.version], dashboard: '../' };
  write(folder, SITE_FACTS, JSON.stringify(facts));
  write(folder, 'search.json', JSON.stringify(searchIndexOf(pages)));
}
