/** The `Link` header of a page that has a next one; `url` is that of the request, whole or not. */
export function nextLink(url: string, cursor: string): string {
  const next = new URL(url, 'http://pawl');
  next.searchParams.set('cursor', cursor);
  return `<${next.pathname}${next.search}>; rel="next"`;
}
