/** A text as it stands in XML. */
export function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** Attributes by name; those without a value are left out. */
type Attributes = Readonly<Record<string, string | number | null | undefined>>;

/** An element of XML; what is in it is written already. */
export function element(name: string, attributes: Attributes, ...children: string[]): string {
  const written = Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined || value === null ? [] : [` ${key}="${escaped(String(value))}"`],
  );
  const inner = children.join('');
  const head = `<${name}${written.join('')}`;
  return inner === '' ? `${head}/>` : `${head}>${inner}</${name}>`;
}

/** An element that only has a value, as charts are full of. */
export function valued(name: string, val: string | number): string {
  return element(name, { val });
}
