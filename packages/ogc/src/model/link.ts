/** A link as the standard writes it. */
export interface Link {
  readonly href: string;
  readonly rel?: string;
  readonly type?: string;
  readonly hreflang?: string;
  readonly title?: string;
}

/** The links of an answer that may hold anything: what is no link is left out. */
export function readLinks(value: unknown): Link[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((one: unknown) => {
    const { href, rel, type, hreflang, title } = (one ?? {}) as Record<string, unknown>;
    if (typeof href !== 'string') return [];
    const members = Object.entries({ rel, type, hreflang, title });
    const texts = members.filter(([, member]) => typeof member === 'string');
    return [{ href, ...(Object.fromEntries(texts) as Omit<Link, 'href'>) }];
  });
}
