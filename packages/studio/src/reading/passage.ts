import type { Block, Deck, Slide } from '../deck/deck.ts';
import { plainLines, plainText } from '../deck/text.ts';

/** A piece of a document, small enough to be cited. */
export interface Passage {
  /** Where it stands, in words: "slide 3", "paragraph 12". */
  readonly place: string;
  readonly heading: string;
  readonly text: string;
}

/** A document as something to read. */
export interface Reading {
  readonly title: string;
  readonly passages: readonly Passage[];
}

/** A deck, a passage a slide. */
export function readingOfDeck({ title, slides }: Pick<Deck, 'title' | 'slides'>): Reading {
  const passages = slides.map((slide, index) => ({
    place: `slide ${index + 1}`,
    heading: plainText(slide.title ?? []),
    text: slideText(slide),
  }));
  return { title, passages };
}

/** All the words of a slide but its title, a line each. */
export function slideText({ subtitle, blocks, notes }: Slide | Omit<Slide, 'id'>): string {
  const lines = [
    plainText(subtitle ?? []),
    ...blocks.filter(({ role }) => role === undefined).map(blockText),
    notes === undefined ? '' : plainLines(notes),
  ];
  return lines.filter((line) => line.trim() !== '').join('\n');
}

function blockText(block: Block): string {
  switch (block.kind) {
    case 'text':
    case 'shape':
      return plainLines(block.paragraphs ?? []);
    case 'connector':
      return '';
    case 'table':
      return block.rows.map((row) => row.map(({ runs }) => plainText(runs)).join(' | ')).join('\n');
    case 'chart':
      return [block.title ?? '', ...block.series.map((one) => seriesText(block.categories, one))]
        .filter((line) => line !== '')
        .join('\n');
    case 'image':
      return block.alt ?? '';
  }
}

function seriesText(
  categories: readonly string[],
  { name, values }: { readonly name: string; readonly values: readonly (number | null)[] },
): string {
  const pairs = values.map((value, index) => `${categories[index] ?? index + 1} ${value ?? '–'}`);
  return `${name}: ${pairs.join(', ')}`;
}

const HEADING = /^#{1,6}\s+(.*)$/;

/** A text, a passage a paragraph; what follows a heading of Markdown stands under it. */
export function readingOfText(text: string, title = ''): Reading {
  let heading = '';
  const passages: Passage[] = [];
  for (const block of text.replaceAll('\r\n', '\n').split(/\n\s*\n/)) {
    const lines = block.split('\n').filter((line) => line.trim() !== '');
    const found = HEADING.exec(lines[0]?.trim() ?? '');
    if (found !== null) {
      heading = found[1]!.trim();
      lines.shift();
    }
    const words = lines.map((line) => line.trim()).join('\n');
    if (words === '' && found === null) continue;
    passages.push({ place: `paragraph ${passages.length + 1}`, heading, text: words });
  }
  return { title: title || (passages[0]?.heading ?? ''), passages };
}
