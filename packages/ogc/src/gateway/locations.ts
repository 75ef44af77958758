import type { Provider } from './provider.ts';

/**
 * Where a job may be found, by the Location that its provider gave, the likeliest first. All are
 * at the provider's own origin: a name that it has for itself inside its network, or any other
 * host, is replaced by the configured one, unless the provider may redirect there.
 */
export function statusUrlsOf(
  provider: Provider,
  given: { location: string | null; askedUrl: string; jobId: string },
): string[] {
  const { location, askedUrl, jobId } = given;
  const byId = jobId === '' ? [] : [`${provider.url}/jobs/${encodeURIComponent(jobId)}`];
  if (location === null) return byId;
  return unique([...placesOf(provider, location, askedUrl), ...byId]);
}

/** Kept places as they are now: a provider that was moved in the file has its jobs with it. */
export function currentUrls(
  provider: Provider,
  kept: { statusUrls: readonly string[]; remoteId: string },
): string[] {
  const { origin } = new URL(provider.url);
  const { statusUrls, remoteId: jobId } = kept;
  const moved = statusUrls.flatMap((location) =>
    [origin, ...provider.redirectOrigins].includes(new URL(location).origin)
      ? [location]
      : statusUrlsOf(provider, { location, askedUrl: provider.url, jobId }),
  );
  return unique(moved);
}

/** Where results may be: as linked, or below the job. */
export function resultsUrlsOf(
  provider: Provider,
  given: { href: string | null; statusUrls: readonly string[] },
): string[] {
  const { href, statusUrls } = given;
  const below = statusUrls.map((url) => {
    const { origin, pathname } = new URL(url);
    return `${origin}${pathname.replace(/\/+$/, '')}/results`;
  });
  const linked = href === null ? [] : placesOf(provider, href, statusUrls[0] ?? provider.url);
  return unique([...linked, ...below]);
}

/** A URL as the provider wrote it, as places at its configured origin. */
function placesOf(provider: Provider, written: string, askedUrl: string): string[] {
  const text = written.trim();
  if (!URL.canParse(text, askedUrl)) return [];
  const base = new URL(provider.url);
  const resolved = new URL(text, askedUrl);
  if (!/^https?:$/.test(resolved.protocol)) return [];
  if (provider.redirectOrigins.includes(resolved.origin)) return [resolved.href];
  const path = resolved.pathname + resolved.search;
  const basePath = base.pathname.replace(/\/+$/, '');
  const isUnderBase = basePath === '' || resolved.pathname.startsWith(`${basePath}/`);
  const places = [base.origin + path];
  if (!isUnderBase) places.push(provider.url + path);
  const isRelative = !/^([a-z][a-z0-9+.-]*:|\/)/i.test(text);
  if (isRelative) places.push(`${provider.url}/${text.replace(/^(\.\/)+/, '')}`);
  const isForeign = resolved.origin !== base.origin;
  const jobsAt = path.lastIndexOf('/jobs/');
  // Behind a proxy the path in front of the jobs is another one, too.
  if (isForeign && jobsAt >= 0) places.push(provider.url + path.slice(jobsAt));
  return places.filter((url) => URL.canParse(url) && new URL(url).origin === base.origin);
}

function unique(urls: readonly string[]): string[] {
  return [...new Set(urls)];
}
