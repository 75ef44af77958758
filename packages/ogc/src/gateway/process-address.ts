import { processIdOf } from './process-id.ts';
import { offers, type Provider } from './provider.ts';

/** The id here of the process at an address, where a provider offers it; null: none does. */
export function processAt(providers: Iterable<Provider>, href: string): string | null {
  if (!URL.canParse(href)) return null;
  const { origin, pathname } = new URL(href);
  for (const provider of providers) {
    for (const url of [provider.url, ...provider.otherUrls]) {
      const base = new URL(`${url}/processes/`);
      if (base.origin !== origin || !pathname.startsWith(base.pathname)) continue;
      const process = decoded(pathname.slice(base.pathname.length).replace(/\/$/, ''));
      const isOne = process !== '' && !process.includes('/') && offers(provider, process);
      if (isOne) return processIdOf({ provider: provider.name, process });
    }
  }
  return null;
}

/** Empty where it is not encoded as addresses are. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}
