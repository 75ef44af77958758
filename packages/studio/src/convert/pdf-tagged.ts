import type { Block, Cell, Paragraph, Run } from '../deck/deck.ts';
import { cleanText, plainText } from '../deck/text.ts';
import type { Draft } from './draft.ts';
import { type PageText, runsOfTexts } from './pdf-text.ts';
import { hasItems, looseParagraphs } from './pdf-untagged.ts';

/** What a tagged PDF says of a page: parts in parts, down to marked content. */
export interface TagNode {
  readonly role: string;
  readonly alt?: string;
  readonly children: readonly (TagNode | { readonly type: string; readonly id?: string })[];
}

interface Reading {
  readonly texts: ReadonlyMap<string, readonly PageText[]>;
  readonly draft: Pick<Draft, 'title' | 'subtitle' | 'blocks'>;
  readonly alts: string[];
  /** The words of drawings, which are not read. */
  readonly drawings: string[];
  readonly used: Set<PageText>;
}

const HEADINGS = /^(H[1-6]?|Title)$/;
const DEPTH_MAX = 60;

export interface TaggedPage extends Pick<Reading, 'draft' | 'alts' | 'drawings'> {
  /** Texts that the tags do not name, but for those that are on every page. */
  readonly rest: readonly PageText[];
}

/** Reads a page by its tags; null where they say nothing. */
export function readTagged(tree: TagNode, texts: readonly PageText[]): TaggedPage | null {
  const byMark = new Map<string, PageText[]>();
  for (const text of texts) {
    if (text.mark === null) continue;
    const list = byMark.get(text.mark) ?? [];
    list.push(text);
    byMark.set(text.mark, list);
  }
  const reading: Reading = {
    texts: byMark,
    draft: { blocks: [] },
    alts: [],
    drawings: [],
    used: new Set(),
  };
  walk(tree, reading, { lists: 0, quotes: 0, depth: 0 });
  const { draft } = reading;
  const isSilent = draft.title === undefined && draft.blocks.length === 0;
  if (isSilent) return null;
  const { alts, drawings, used } = reading;
  const rest = texts.filter((one) => !used.has(one) && !one.isArtifact && one.text.trim() !== '');
  return { draft, alts, drawings, rest };
}

interface Place {
  readonly lists: number;
  readonly quotes: number;
  readonly depth: number;
}

function nodesOf({ children }: TagNode): TagNode[] {
  return children.filter((child): child is TagNode => 'role' in child);
}

function piecesUnder(node: TagNode, { texts, used }: Pick<Reading, 'texts' | 'used'>): PageText[] {
  const pieces: PageText[] = [];
  const collect = (at: TagNode, level: number): void => {
    if (level > DEPTH_MAX) return;
    for (const child of at.children) {
      if ('role' in child) collect(child, level + 1);
      else if (child.id !== undefined) pieces.push(...(texts.get(child.id) ?? []));
    }
  };
  collect(node, 0);
  for (const piece of pieces) used.add(piece);
  return pieces;
}

/** A part that says its text in reading order has it there, not in what is drawn. */
function actualRuns({ alt }: TagNode): Run[] | null {
  return alt === undefined || alt === '' ? null : [{ text: cleanText(alt) }];
}

function runsUnder(node: TagNode, reading: Pick<Reading, 'texts' | 'used'>): Run[] {
  const pieces = piecesUnder(node, reading);
  return actualRuns(node) ?? runsOfTexts(pieces);
}

function walk(node: TagNode, reading: Reading, place: Place): void {
  if (place.depth > DEPTH_MAX) return;
  const inner = { ...place, depth: place.depth + 1 };
  if (HEADINGS.test(node.role)) return addHeading(node, reading);
  switch (node.role) {
    case 'Table':
      addTable(node, reading);
      return;
    case 'Figure':
      addFigure(node, reading);
      return;
    case 'L':
      for (const child of nodesOf(node)) walk(child, reading, { ...inner, lists: place.lists + 1 });
      return;
    case 'LI':
      addItem(node, reading, inner);
      return;
    case 'BlockQuote':
      for (const child of nodesOf(node))
        walk(child, reading, { ...inner, quotes: place.quotes + 1 });
      return;
    default: {
      const hasOwn = node.children.some((child) => !('role' in child) && child.id !== undefined);
      if (hasOwn || node.role === 'P') {
        addText(node, reading, place.quotes);
        // A figure may stand inside of a paragraph.
        for (const child of nodesOf(node)) if (child.role === 'Figure') walk(child, reading, inner);
      } else for (const child of nodesOf(node)) walk(child, reading, inner);
    }
  }
}

/** A drawing with text in it is a chart, which is no image. */
function addFigure(node: TagNode, reading: Reading): void {
  const words = piecesUnder(node, reading).map(({ text }) => text);
  if (words.length === 0) reading.alts.push(node.alt ?? '');
  else reading.drawings.push(words.join(' ').trim());
}

function addHeading(node: TagNode, reading: Reading): void {
  const { draft } = reading;
  const runs = runsUnder(node, reading);
  if (plainText(runs).trim() === '') return;
  const isSubtitle = node.role === 'H2' && draft.blocks.length === 0;
  if (draft.title === undefined) draft.title = runs;
  else if (isSubtitle && draft.subtitle === undefined) draft.subtitle = runs;
  else addParagraph({ draft }, { level: 0, runs });
}

/** Some programs call a whole list a paragraph. */
function addText(node: TagNode, reading: Reading, quotes: number): void {
  const pieces = piecesUnder(node, reading);
  const level = Math.min(8, quotes);
  const actual = actualRuns(node);
  const paragraphs =
    actual === null && hasItems(pieces)
      ? looseParagraphs(pieces)
      : [{ level, runs: actual ?? runsOfTexts(pieces) }];
  for (const paragraph of paragraphs) addParagraph(reading, paragraph);
}

/** Paragraphs that follow each other are one block. */
function addParagraph({ draft }: Pick<Reading, 'draft'>, paragraph: Paragraph): void {
  if (plainText(paragraph.runs).trim() === '') return;
  const last = draft.blocks.at(-1);
  if (last?.kind === 'text') last.paragraphs.push(paragraph);
  else draft.blocks.push({ kind: 'text', paragraphs: [paragraph] });
}

function addItem(node: TagNode, reading: Reading, place: Place): void {
  const parts = nodesOf(node);
  const label = parts.find(({ role }) => role === 'Lbl');
  const mark = label === undefined ? '' : plainText(runsUnder(label, reading)).trim();
  const bodies = parts.filter(({ role }) => role !== 'Lbl' && role !== 'L');
  const nested = bodies.flatMap((body) => nodesOf(body).filter(({ role }) => role === 'L'));
  const own = bodies.map((body) => ({
    ...body,
    children: body.children.filter((child) => !('role' in child && child.role === 'L')),
  }));
  addParagraph(reading, {
    level: Math.min(8, Math.max(0, place.lists - 1)),
    list: /^\(?[0-9]+[.)]?$/.test(mark) ? 'number' : 'bullet',
    runs: own.flatMap((body) => runsUnder(body, reading)),
  });
  for (const list of [...parts.filter(({ role }) => role === 'L'), ...nested]) {
    walk(list, reading, place);
  }
}

function rowsOf(node: TagNode, depth = 0): TagNode[] {
  if (depth > DEPTH_MAX) return [];
  return nodesOf(node).flatMap((child) =>
    child.role === 'TR' ? [child] : rowsOf(child, depth + 1),
  );
}

function addTable(node: TagNode, reading: Reading): void {
  const rows = rowsOf(node).map((row) => nodesOf(row));
  if (rows.length === 0) return;
  const cells = rows.map((row) => row.map((cell): Cell => ({ runs: runsUnder(cell, reading) })));
  const header = (rows[0] ?? []).length > 0 && rows[0]!.every(({ role }) => role === 'TH');
  const block: Block = { kind: 'table', header, rows: cells };
  reading.draft.blocks.push(block);
}
