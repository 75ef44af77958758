// `node --import` this: what documents and examples import from `pawl` comes from the sources of
// this checkout.
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

const root = new URL('../../', import.meta.url);
const { exports } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as {
  exports: Record<string, string | { default: string }>;
};

/** `pawl/client` → `packages/pawl/src/client/client.ts`, by the package's own list. */
const sources = new Map<string, string>();
for (const [name, target] of Object.entries(exports)) {
  if (typeof target === 'string') continue;
  const source = target.default.replace('dist/', 'src/').replace(/js$/, 'ts');
  sources.set(`pawl${name.slice(1)}`, source);
}

export const sourcePaths: ReadonlyMap<string, string> = sources;

registerHooks({
  resolve: (specifier, context, next) => {
    const source = sources.get(specifier);
    if (source !== undefined) return { url: new URL(source, root).href, shortCircuit: true };
    // Blocks lie in a folder of their own, from where the repository's packages are not found.
    const isPackage = !/^(?:[./]|node:|file:)/.test(specifier);
    const parentURL = isPackage ? new URL('package.json', root).href : context.parentURL;
    return next(specifier, { ...context, parentURL });
  },
});
