/**
 * The fields of a composite value as the database writes it: `(1,,"a ""b""")`. A field with nothing
 * in it is null; in quotes, quotes and backslashes are doubled.
 */
export function fieldsOf(text: string): (string | null)[] {
  const end = text.length - 1;
  const fields: (string | null)[] = [];
  for (let at = 1; at <= end; at++) {
    if (text[at] === '"') {
      const last = closingQuote(text, at + 1);
      fields.push(text.slice(at + 1, last).replaceAll(/""|\\\\/g, (pair) => pair[0]!));
      at = last + 1;
    } else {
      const comma = text.indexOf(',', at);
      const next = comma < 0 ? end : comma;
      fields.push(next === at ? null : text.slice(at, next));
      at = next;
    }
  }
  return fields;
}

function closingQuote(text: string, from: number): number {
  let at = text.indexOf('"', from);
  while (text[at + 1] === '"') at = text.indexOf('"', at + 2);
  return at;
}
