import { readFileSync } from 'node:fs';
import type { ProjectOptions } from './create-project.ts';

/** Versions of other packages that a new project gets; a test compares them with ours. */
export const VERSIONS = {
  '@types/node': '26.6.6',
  pg: '8.23.1',
  typescript: '7.0.2',
  zod: '4.6.7',
} as const;

/** All packages of Pawl have one version. */
function ownVersion(): string {
  const path = new URL('../package.json', import.meta.url);
  return (JSON.parse(readFileSync(path, 'utf8')) as { version: string }).version;
}

function caret(...names: readonly (keyof typeof VERSIONS)[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, `^${VERSIONS[name]}`]));
}

/** A name that npm accepts, from the name of a folder. */
export function packageName(folder: string): string {
  const name = folder
    .toLowerCase()
    .replaceAll(/[^a-z\d._-]+/g, '-')
    .replace(/^[._-]+|-+$/g, '');
  return name === '' ? 'pawl-app' : name.slice(0, 214);
}

/** The `package.json` of a new project. */
export function manifestOf(name: string, { store, dashboard }: ProjectOptions): object {
  const version = ownVersion();
  const program = dashboard
    ? { start: 'pawl start', dev: 'pawl dev' }
    : { start: 'node src/main.ts', dev: 'node --watch src/main.ts' };
  return {
    name: packageName(name),
    version: '0.0.0',
    private: true,
    type: 'module',
    engines: { node: '>=24.16' },
    scripts: { ...program, test: 'node --test "test/**/*.test.ts"', check: 'tsc' },
    dependencies: {
      ...(dashboard && { '@pawl/server': version }),
      pawl: version,
      ...(store === 'postgres' && caret('pg')),
      ...caret('zod'),
    },
    devDependencies: caret('@types/node', 'typescript'),
  };
}
