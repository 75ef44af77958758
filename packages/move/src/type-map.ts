/** Parses `old=new`, as often as it was given; null where one is not of that form. */
export function parseTypeMap(given: readonly string[]): ReadonlyMap<string, string> | null {
  const pairs = given.map((text) => {
    const at = text.lastIndexOf('=');
    return at < 0 ? (['', ''] as const) : ([text.slice(0, at), text.slice(at + 1)] as const);
  });
  return pairs.every(([from, to]) => from !== '' && to !== '') ? new Map(pairs) : null;
}

/** A kind's type: by its whole name, by either part of it, or as the source proposes. */
export function typeOf(
  { kind, type }: { readonly kind: string; readonly type: string },
  map: ReadonlyMap<string, string>,
): string {
  const at = kind.indexOf('/');
  const parts = at < 0 ? [] : [kind.slice(at + 1), kind.slice(0, at)];
  const found = [kind, ...parts].find((name) => map.has(name));
  return found === undefined ? type : map.get(found)!;
}
