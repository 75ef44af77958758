// A folder of static files with several versions of the documentation beside each other.
import { cpSync, existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { escaped } from './highlight.ts';
import { type Frame, pageHtml } from './layout.ts';
import { notFoundPage, SITE_FACTS, type SiteFacts } from './write-site.ts';

/** `1.10.0` comes before `1.9.0`, and a release before its previews. */
function newestFirst(a: string, b: string): number {
  const order = b.replace(/-.*$/, '').localeCompare(a.replace(/-.*$/, ''), 'en', { numeric: true });
  return order === 0 ? a.length - b.length : order;
}

function versionsIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => existsSync(join(folder, name, SITE_FACTS)))
    .toSorted(newestFirst);
}

/** Static hosts have no redirects of their own, so the page leads on itself. */
function leadTo(version: string): string {
  const to = `${escaped(version)}/index.html`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Pawl</title>
<meta http-equiv="refresh" content="0; url=${to}"><link rel="canonical" href="${to}"></head>
<body><a href="${to}">The documentation of Pawl</a></body></html>
`;
}

export interface Addition {
  /** Where the pages of the version were built. */
  readonly built: string;
  readonly frame: Frame;
  /** The path under which the folder will be served: `/`, `/docs/`. */
  readonly base: string;
}

/** Puts a version into the folder, in place of the same one, and makes it known to the others. */
export function addVersion(folder: string, { built, frame, base }: Addition): readonly string[] {
  const target = join(folder, frame.version);
  rmSync(target, { recursive: true, force: true });
  cpSync(built, target, { recursive: true });
  const versions = versionsIn(folder);
  const facts: SiteFacts = { versions, dashboard: null };
  for (const version of versions) {
    writeFileSync(join(folder, version, SITE_FACTS), JSON.stringify(facts));
  }
  const [newest = frame.version] = versions;
  writeFileSync(join(folder, 'index.html'), leadTo(newest));
  // A host shows it at addresses of any depth, so its links start at the host's root.
  const missing = notFoundPage(`${base.replace(/\/?$/, '/')}${newest}/`);
  writeFileSync(join(folder, '404.html'), pageHtml(missing, frame));
  return versions;
}
