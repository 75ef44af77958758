// Markdown → data. HTML in a document stays what it is: text.
import { posix } from 'node:path';
import { marked, type Token, type Tokens } from 'marked';
import type { Block, Guide, Inline, Target } from './guide.ts';
import { nameOf } from './pages.ts';

/** Where a document lies, and which others can be read beside it. */
export interface Environment {
  readonly path: string;
  readonly names: ReadonlySet<string>;
}

/** As other readers of Markdown name the places of a page. */
export function anchorOf(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

function targetOf(href: string, { path, names }: Environment): Target {
  if (/^[a-z]+:/i.test(href)) {
    // Anything else could run when it is followed.
    return /^(?:https?|mailto):/i.test(href)
      ? { kind: 'address', url: href }
      : { kind: 'file', path: href };
  }
  const [file = '', at] = href.split('#');
  const target = file === '' ? path : posix.normalize(posix.join(posix.dirname(path), file));
  const name = nameOf(target);
  if (!target.endsWith('.md') || !names.has(name)) return { kind: 'file', path: target };
  return at === undefined ? { kind: 'guide', name } : { kind: 'guide', name, at };
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&nbsp;': '\u00a0',
};

function plain(text: string): string {
  return text.replaceAll(/&(?:amp|lt|gt|quot|#39|nbsp);/g, (entity) => ENTITIES[entity]!);
}

function inlineOf(token: Token, where: Environment): Inline[] {
  const parts = (): Inline[] => inlinesOf('tokens' in token ? token.tokens : [], where);
  switch (token.type) {
    case 'codespan':
      return [{ kind: 'code', text: (token as Tokens.Codespan).text }];
    case 'strong':
    case 'em':
      return [{ kind: token.type, parts: parts() }];
    case 'link':
      return [{ kind: 'link', to: targetOf((token as Tokens.Link).href, where), parts: parts() }];
    case 'image': {
      const { href, text } = token as Tokens.Image;
      return [{ kind: 'link', to: targetOf(href, where), parts: [`picture: ${text}`] }];
    }
    case 'br':
      return ['\n'];
    default:
      return 'tokens' in token && token.tokens !== undefined
        ? parts()
        : [plain((token as Tokens.Text).text)];
  }
}

function inlinesOf(tokens: readonly Token[] | undefined, where: Environment): Inline[] {
  return (tokens ?? []).flatMap((token) => inlineOf(token, where));
}

function blockOf(token: Token, where: Environment): Block[] {
  switch (token.type) {
    case 'space':
    case 'hr':
    case 'def':
      return [];
    case 'heading': {
      const { depth, text, tokens } = token as Tokens.Heading;
      return [{ kind: 'heading', depth, anchor: anchorOf(text), parts: inlinesOf(tokens, where) }];
    }
    case 'code': {
      const { lang, text } = token as Tokens.Code;
      return [{ kind: 'code', language: (lang ?? '').split(' ', 1)[0]!, text }];
    }
    case 'list': {
      const { ordered, items } = token as Tokens.List;
      const read = items.map(({ tokens }) => blocksOf(tokens, where));
      return [{ kind: 'list', isOrdered: ordered, items: read }];
    }
    case 'blockquote':
      return [{ kind: 'quote', blocks: blocksOf((token as Tokens.Blockquote).tokens, where) }];
    case 'table': {
      const { header, rows } = token as Tokens.Table;
      const cells = (row: readonly Tokens.TableCell[]): Inline[][] =>
        row.map(({ tokens }) => inlinesOf(tokens, where));
      return [{ kind: 'table', head: cells(header), rows: rows.map(cells) }];
    }
    default:
      return [{ kind: 'text', parts: inlineOf(token, where) }];
  }
}

function blocksOf(tokens: readonly Token[], where: Environment): Block[] {
  return tokens.flatMap((token) => blockOf(token, where));
}

/** The words of a line, without their dress. */
export function textOf(parts: readonly Inline[]): string {
  return parts
    .map((part) => {
      if (typeof part === 'string') return part;
      return 'text' in part ? part.text : textOf(part.parts);
    })
    .join('');
}

export function readGuide(text: string, where: Environment): Guide {
  const blocks = blocksOf(marked.lexer(text), where);
  const first = blocks.find((block) => block.kind === 'heading' && block.depth === 1);
  return { title: first?.kind === 'heading' ? textOf(first.parts) : where.path, blocks };
}
