import { cleanText } from '../deck/text.ts';
import { optionalPackage } from '../work/optional-package.ts';
import type { OpenSource } from './draft.ts';
import { FlowPages, flowReader } from './flow.ts';
import { HtmlFlow } from './html.ts';
import { corrupted, refuse } from './refusal.ts';
import { readText } from './source-text.ts';

const FRONT_MATTER = /^---\n([\s\S]{0,10000}?)\n---\n/;
/** Marks that open a level each; nobody nests so deep, but parsers fall over it. */
const DEEP = /^[\s>*+-]{200,}/m;
/** What every parser of Markdown takes long to pair, by the square of how many there are. */
const MARKS = /[*_~`[\]<]/g;
const MARKS_MAX = 2_000;

function checkShape(text: string): void {
  const isTangled = text
    .split(/\n\s*\n/)
    .some((block) => block.length > MARKS_MAX && (block.match(MARKS)?.length ?? 0) > MARKS_MAX);
  if (isTangled || DEEP.test(text)) {
    throw refuse('CONVERT_TOO_LARGE', 'a paragraph has too many marks, or marks too deep');
  }
}

/** Opens Markdown: rules and headings begin slides, comments that say so are notes. */
export const openMarkdown: OpenSource = async (bytes, { name }) => {
  const { marked } = await optionalPackage('marked', () => import('marked'));
  const text = readText(bytes).replaceAll('\r\n', '\n');
  checkShape(text);
  const front = FRONT_MATTER.exec(text);
  const title = /^title:\s*["']?(.*?)["']?\s*$/m.exec(front?.[1] ?? '')?.[1] ?? '';
  const body = front === null ? text : text.slice(front[0].length);
  let line = front === null ? 1 : front[0].split('\n').length;
  const pages = new FlowPages();
  const reader = new HtmlFlow((piece) => pages.add(piece));
  try {
    for (const token of marked.lexer(body)) {
      const origin = { line };
      if (token.type === 'html') addNotes(pages, token.raw, line);
      reader.read(marked.parser([token]), origin);
      line += token.raw.split('\n').length - 1;
    }
  } catch (error) {
    throw corrupted(error, 'the Markdown cannot be read');
  }
  return flowReader(pages, title || (name ?? '').replace(/\.\w+$/, ''));
};

/** `<!-- notes: what to say -->` */
function addNotes(pages: FlowPages, html: string, line: number): void {
  for (const [, notes] of html.matchAll(/<!--\s*notes?:\s*([\s\S]*?)-->/gi)) {
    const paragraphs = cleanText(notes!.trim())
      .split('\n')
      .map((text) => ({ level: 0, runs: text.trim() === '' ? [] : [{ text: text.trim() }] }));
    pages.add({ kind: 'notes', paragraphs, origin: { line } });
  }
}
