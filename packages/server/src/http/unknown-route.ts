import type { RouteDoc } from './openapi.ts';

function patternOf(url: string): RegExp {
  const escaped = url.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(`^${escaped.replaceAll(/:\w+/g, '[^/]+')}$`);
}

/** Tells which methods an address does take; none where there is no such address. */
export function methodsAt(found: readonly RouteDoc[]): (path: string) => string[] {
  let known: { method: string; pattern: RegExp }[] | null = null;
  return (path) => {
    known ??= found.map(({ method, url }) => ({ method, pattern: patternOf(url) }));
    const own = known.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method);
    if (own.length === 0) return [];
    return [...own, ...(own.includes('GET') ? ['HEAD'] : []), 'OPTIONS'];
  };
}
