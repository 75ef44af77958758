// `node --import` this: what documents and examples import from our packages comes from the sources
// of this checkout, wherever the importing file lies.
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { publicPackages } from './public-packages.ts';

const root = new URL('../../', import.meta.url);

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
}

/** `pawl/client` → `packages/pawl/src/client/client.ts`, by the packages' own lists. */
const sources = new Map<string, string>();
for (const folder of publicPackages) {
  const path = `packages/${folder}/package.json`;
  const { name, exports } = JSON.parse(readFileSync(new URL(path, root), 'utf8')) as Manifest;
  for (const [entry, target] of Object.entries(exports)) {
    if (typeof target === 'string' || entry.includes('*')) continue;
    sources.set(name + entry.slice(1), `packages/${folder}/${target['pawl-source']!.slice(2)}`);
  }
}

export const sourcePaths: ReadonlyMap<string, string> = sources;

registerHooks({
  resolve: (specifier, context, next) => {
    const source = sources.get(specifier);
    if (source !== undefined) return { url: new URL(source, root).href, shortCircuit: true };
    // Blocks lie in a folder of their own, from where the repository's packages are not found.
    const isPackage = !/^(?:[./]|node:|file:)/.test(specifier);
    const isOurs = /^(?:pawl|@pawl\/\w+)\//.test(specifier);
    const parentURL = isPackage && !isOurs ? new URL('package.json', root).href : context.parentURL;
    return next(specifier, { ...context, parentURL });
  },
});
