/** A link of a `Link` header (RFC 8288). */
export interface HeaderLink {
  readonly href: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** As it is written. */
  readonly text: string;
}

const LINK = /<([^>]*)>((?:\s*;\s*[\w!#$&+.^*-]+\s*(?:=\s*(?:"(?:[^"\\]|\\.)*"|[^\s",;]*))?)*)/g;
const PARAMETER = /;\s*([\w!#$&+.^*-]+)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s",;]*)))?/g;

export function linksOfHeader(header: string): HeaderLink[] {
  return [...header.matchAll(LINK)].map(([text, href = '', rest = '']) => {
    const parameters = [...rest.matchAll(PARAMETER)].map(([, name = '', quoted, bare = '']) => {
      return [name.toLowerCase(), quoted?.replaceAll(/\\(.)/g, '$1') ?? bare] as const;
    });
    return { href: href.trim(), parameters: Object.fromEntries(parameters), text };
  });
}

/** What a link is called, in the form that knows every language first. */
export function titleOf({ parameters }: HeaderLink): string | null {
  const [, coded] = /^utf-8'[^']*'(.*)$/i.exec(parameters['title*'] ?? '') ?? [];
  try {
    return coded === undefined ? (parameters['title'] ?? null) : decodeURIComponent(coded);
  } catch {
    return parameters['title'] ?? null;
  }
}
