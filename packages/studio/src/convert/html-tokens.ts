/** A piece of HTML: text, or a tag with its attributes. */
export type HtmlToken =
  | { readonly kind: 'text'; readonly text: string; readonly at: number }
  | { readonly kind: 'close'; readonly name: string; readonly at: number }
  | {
      readonly kind: 'open';
      readonly name: string;
      readonly attributes: ReadonlyMap<string, string>;
      readonly at: number;
    }
  | { readonly kind: 'comment'; readonly text: string; readonly at: number };

/** Elements whose content is no text to read; their end is looked for as plain text. */
const OPAQUE: ReadonlySet<string> = new Set([
  'script',
  'style',
  'noscript',
  'template',
  'svg',
  'math',
  'iframe',
  'object',
  'select',
]);

const NAME = /^[A-Za-z][A-Za-z0-9-]*/;
const ATTRIBUTE = /([^\s=>"'/]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+)))?/g;
const TAG_LENGTH_MAX = 24 * 1024 ** 2;

/** Goes once over HTML, however broken, without ever looking back. */
export function* htmlTokens(html: string): Generator<HtmlToken> {
  let at = 0;
  while (at < html.length) {
    const next = html.indexOf('<', at);
    const end = next < 0 ? html.length : next;
    if (end > at) yield { kind: 'text', text: decodeEntities(html.slice(at, end)), at };
    if (next < 0) return;
    if (html.startsWith('<!--', next)) {
      const close = html.indexOf('-->', next + 4);
      const stop = close < 0 ? html.length : close;
      yield { kind: 'comment', text: html.slice(next + 4, stop), at: next };
      at = close < 0 ? html.length : close + 3;
      continue;
    }
    const isClose = html[next + 1] === '/';
    const name = NAME.exec(html.slice(next + (isClose ? 2 : 1), next + 40))?.[0].toLowerCase();
    if (name === undefined) {
      const isMarkup = html[next + 1] === '!' || html[next + 1] === '?' || isClose;
      const close = isMarkup ? html.indexOf('>', next) : next;
      if (!isMarkup) yield { kind: 'text', text: '<', at: next };
      at = close < 0 ? html.length : close + 1;
      continue;
    }
    const close = tagEnd(html, next);
    const inside = html.slice(next + 1 + name.length, close);
    at = close + 1;
    if (isClose) yield { kind: 'close', name, at: next };
    else {
      yield { kind: 'open', name, attributes: attributesOf(inside), at: next };
      if (OPAQUE.has(name)) at = opaqueEnd(html, name, at);
    }
  }
}

function tagEnd(html: string, from: number): number {
  let quote = '';
  for (let at = from; at < Math.min(html.length, from + TAG_LENGTH_MAX); at++) {
    const letter = html[at]!;
    if (quote !== '') {
      if (letter === quote) quote = '';
    } else if (letter === '>') return at;
    else if ((letter === '"' || letter === "'") && html[at - 1] === '=') quote = letter;
  }
  return html.length;
}

function opaqueEnd(html: string, name: string, from: number): number {
  const lower = `</${name}`;
  for (let at = html.indexOf('</', from); at >= 0; at = html.indexOf('</', at + 2)) {
    if (html.slice(at, at + lower.length).toLowerCase() === lower) return at;
  }
  return html.length;
}

const ATTRIBUTES_MAX = 64;

function attributesOf(inside: string): Map<string, string> {
  const attributes = new Map<string, string>();
  for (const [, name, double, single, bare] of inside.matchAll(ATTRIBUTE)) {
    if (attributes.size >= ATTRIBUTES_MAX) break;
    attributes.set(name!.toLowerCase(), decodeEntities(double ?? single ?? bare ?? ''));
  }
  return attributes;
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00A0',
  copy: '©',
  reg: '®',
  trade: '™',
  hellip: '…',
  mdash: '—',
  ndash: '–',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  laquo: '«',
  raquo: '»',
  bull: '•',
  middot: '·',
  times: '×',
  deg: '°',
  euro: '€',
  pound: '£',
  sect: '§',
  rarr: '→',
  larr: '←',
  auml: 'ä',
  ouml: 'ö',
  uuml: 'ü',
  Auml: 'Ä',
  Ouml: 'Ö',
  Uuml: 'Ü',
  szlig: 'ß',
  eacute: 'é',
  egrave: 'è',
};

function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replaceAll(
    /&(?:#(\d{1,7})|#[xX]([0-9A-Fa-f]{1,6})|([A-Za-z]{2,8}));/g,
    (whole: string, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return ENTITIES[name] ?? whole;
      const code = decimal === undefined ? Number.parseInt(hex!, 16) : Number(decimal);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '';
    },
  );
}
