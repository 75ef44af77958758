import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { inRepository } from '../run/repository.ts';

const VERSION = /^\d+\.\d+\.\d+(?:-[\w.]+)?$/;
const OWN = /^(?:pawl|create-pawl|@pawl\/[\w-]+)$/;
const GROUPS = ['dependencies', 'peerDependencies', 'devDependencies'] as const;

interface Manifest extends Partial<Record<(typeof GROUPS)[number], Record<string, string>>> {
  version: string;
}

/** The manifest with one version for itself and for ours that it names. */
export function withVersion(manifest: Manifest, version: string): Manifest {
  const changed = { ...manifest, version };
  for (const group of GROUPS) {
    const names = manifest[group];
    if (names === undefined) continue;
    changed[group] = Object.fromEntries(
      Object.entries(names).map(([name, range]) => [name, OWN.test(name) ? version : range]),
    );
  }
  return changed;
}

/** The changelog with what was unreleased under the version's own heading. */
export function released(changelog: string, version: string, day: string): string {
  const heading = '## Unreleased\n';
  if (!changelog.includes(heading)) throw new Error('CHANGELOG.md has no section "Unreleased"');
  if (changelog.includes(`\n## ${version} `)) return changelog;
  return changelog.replace(heading, () => `${heading}\n## ${version} (${day})\n`);
}

function edit(path: string, change: (text: string) => string): void {
  writeFileSync(inRepository(path), change(readFileSync(inRepository(path), 'utf8')));
}

/** Writes the version everywhere that names it; `npm install` then updates the lockfile. */
export function prepare(version: string): string {
  if (!VERSION.test(version)) throw new Error(`"${version}" is not a version such as 0.2.0`);
  const root = inRepository('.');
  for (const path of globSync('packages/*/package.json', { cwd: root })) {
    edit(path, (text) => {
      const manifest = withVersion(JSON.parse(text) as Manifest, version);
      return `${JSON.stringify(manifest, null, 2)}\n`;
    });
  }
  // Commands of the guides name the tarballs of this checkout.
  for (const path of globSync('docs/guides/**/*.md', { cwd: root })) {
    edit(path, (text) =>
      text.replaceAll(/(\bpawl(?:-\w+)?-)\d+\.\d+\.\d+(?=\.tgz)/g, `$1${version}`),
    );
  }
  const day = new Date().toISOString().slice(0, 10);
  edit('CHANGELOG.md', (text) => released(text, version, day));
  // Image and workflow use `npm ci`, which wants the packages of every platform in the lock.
  const lock = 'npm install (a registry with every platform), npm ci --dry-run until it passes';
  const next = `${lock}, look at CHANGELOG.md, commit, tag v${version}`;
  return `Every package is ${version}. Next: ${next}.`;
}
