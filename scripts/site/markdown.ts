// Markdown → HTML of a page. HTML in a document is shown as text, except a picture of two themes.
import { posix } from 'node:path';
import { Marked, Renderer, type RendererObject } from 'marked';
import { escaped, highlighted } from './highlight.ts';
import { attachedName, isAttached, nameOf, rootOf } from './pages.ts';

/** Where a document lies, and which others are pages. */
export interface Environment {
  readonly path: string;
  readonly names: ReadonlySet<string>;
}

export interface Heading {
  readonly depth: number;
  readonly anchor: string;
  readonly text: string;
}

export interface Document {
  readonly title: string;
  readonly html: string;
  readonly headings: readonly Heading[];
  /** Files of the repository that the page shows or offers. */
  readonly attached: readonly string[];
}

/** As other readers of Markdown name the places of a page. */
export function anchorOf(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

/** The words of a piece of HTML. */
export function textOf(html: string): string {
  return html
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}

/** An address of the site, an address elsewhere, or null: a file of the repository only. */
function addressOf(href: string, { path, names }: Environment): string | null {
  // Any other scheme could run when it is followed.
  if (/^[a-z]+:/i.test(href)) return /^(?:https?|mailto):/i.test(href) ? href : null;
  const [file = '', at] = href.split('#');
  if (file === '') return `#${at ?? ''}`;
  const target = posix.normalize(posix.join(posix.dirname(path), file)).replace(/\/$/, '');
  const root = rootOf(nameOf(path));
  if (isAttached(target)) return root + attachedName(target);
  const document = [target, `${target}/README.md`].find(
    (one) => one.endsWith('.md') && names.has(nameOf(one)),
  );
  if (document === undefined) return null;
  return `${root}${nameOf(document)}.html${at === undefined ? '' : `#${at}`}`;
}

interface Found {
  readonly headings: Heading[];
  readonly attached: Set<string>;
}

function freshAnchor(text: string, headings: readonly Heading[]): string {
  const wanted = anchorOf(text);
  const same = headings.filter(({ text: other }) => anchorOf(other) === wanted).length;
  return same === 0 ? wanted : `${wanted}-${same}`;
}

function noteFile(href: string, where: Environment, { attached }: Found): void {
  const target = posix.normalize(posix.join(posix.dirname(where.path), href.split('#')[0]!));
  if (isAttached(target)) attached.add(target);
}

const PICTURE = new RegExp(
  [
    /^<picture>/,
    /<source media="\(prefers-color-scheme: dark\)" srcset="([^"]*)">/,
    /<img src="([^"]*)" alt="([^"]*)">/,
    /<\/picture>\s*$/,
  ]
    .map(({ source }) => source)
    .join('\\s*'),
);

/** A picture with a dark variant, built from its three attributes; anything else is not one. */
function pictureIn(html: string, where: Environment, found: Found): string | null {
  const [, dark, light, alt] = PICTURE.exec(html) ?? [];
  if (dark === undefined || light === undefined || alt === undefined) return null;
  const [darkAddress, lightAddress] = [addressOf(dark, where), addressOf(light, where)];
  if (darkAddress === null || lightAddress === null) return null;
  for (const file of [dark, light]) noteFile(file, where, found);
  const source = `<source media="(prefers-color-scheme: dark)" srcset="${escaped(darkAddress)}">`;
  const image = `<img src="${escaped(lightAddress)}" alt="${escaped(textOf(alt))}">`;
  const picture = `<picture>${source}${image}</picture>`;
  return `<p><a class="picture" href="${escaped(lightAddress)}">${picture}</a></p>\n`;
}

function rendererFor(where: Environment, found: Found): RendererObject {
  return {
    html: ({ text }) =>
      text.startsWith('<!--') ? '' : (pictureIn(text, where, found) ?? escaped(text)),
    heading({ tokens, depth, text }) {
      const anchor = freshAnchor(text, found.headings);
      const html = this.parser.parseInline(tokens);
      found.headings.push({ depth, anchor, text: textOf(html) });
      const link = `<a class="anchor" href="#${anchor}" aria-label="Link to this section">#</a>`;
      return `<h${depth} id="${anchor}">${html}${depth === 1 ? '' : ` ${link}`}</h${depth}>\n`;
    },
    link({ href, tokens }) {
      const html = this.parser.parseInline(tokens);
      const address = addressOf(href, where);
      noteFile(href, where, found);
      if (address === null) {
        const path = posix.normalize(posix.join(posix.dirname(where.path), href));
        return `<span class="source" title="In the repository: ${escaped(path)}">${html}</span>`;
      }
      const rel = /^https?:/.test(address) ? ' rel="noreferrer"' : '';
      return `<a href="${escaped(address)}"${rel}>${html}</a>`;
    },
    image({ href, text }) {
      noteFile(href, where, found);
      const address = addressOf(href, where);
      if (address === null) return `<span class="source">${escaped(text)}</span>`;
      const picture = `<img src="${escaped(address)}" alt="${escaped(text)}" loading="lazy">`;
      return `<a class="picture" href="${escaped(address)}">${picture}</a>`;
    },
    code({ text, lang = '' }) {
      const language = lang.split(' ', 1)[0]!;
      // The same diagram is on the page as a picture.
      if (language === 'mermaid') return '';
      const label = language === '' ? 'Code' : `Code, ${language}`;
      const code = `<code>${highlighted(text, language)}</code>`;
      const block = `<pre tabindex="0" role="group" aria-label="${label}">${code}</pre>`;
      return `<div class="code">${block}</div>\n`;
    },
    table(token) {
      const html = Renderer.prototype.table.call(this, token);
      return `<div class="scroll" tabindex="0" role="group" aria-label="Table">${html}</div>\n`;
    },
  };
}

export function readDocument(text: string, where: Environment): Document {
  const found: Found = { headings: [], attached: new Set() };
  const marked = new Marked({ renderer: rendererFor(where, found), async: false });
  const html = marked.parse(text) as string;
  const title = found.headings.find(({ depth }) => depth === 1)?.text ?? where.path;
  return { title, html, headings: found.headings, attached: [...found.attached] };
}
