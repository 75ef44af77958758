// Which sections are meant by some words. Pure: the page and the tests ask it alike.
import type { SearchIndex } from '../../../../scripts/site/search-index.ts';

export interface Found {
  /** From the root of the site. */
  readonly href: string;
  readonly page: string;
  readonly heading: string;
  /** The text around the first word. */
  readonly excerpt: string;
}

const SHOWN = 30;
const AROUND = 70;

/** Learning comes before looking up, and both before the reasons. */
const CHAPTERS = [
  'index',
  'learn/',
  'recipes/',
  'operate/',
  'migrate/',
  'integrate/',
  'reference/',
];

function chapterWeight(name: string): number {
  const at = CHAPTERS.findIndex((chapter) => name.startsWith(chapter));
  return at < 0 ? 0 : (CHAPTERS.length - at) / CHAPTERS.length;
}

/** 0: the word is not in it; a word of its own counts more than a part of one. */
function weightIn(text: string, word: string): number {
  const at = text.indexOf(word);
  if (at < 0) return 0;
  if (text === word) return 3;
  const starts = new RegExp(`(?<![\\p{L}\\p{N}])${RegExp.escape(word)}`, 'u');
  return starts.test(text) ? 2 : 1;
}

function scoreOf(word: string, title: string, heading: string, text: string): number {
  const inText = Math.min(4, text.split(word).length - 1);
  return 6 * weightIn(heading, word) + 4 * weightIn(title, word) + inText;
}

function excerptOf(text: string, words: readonly string[]): string {
  const low = text.toLowerCase();
  const at = Math.max(0, Math.min(...words.map((word) => low.indexOf(word)).filter((n) => n >= 0)));
  const from = Number.isFinite(at) ? Math.max(0, at - AROUND) : 0;
  const start = from === 0 ? 0 : text.indexOf(' ', from) + 1;
  const shown = text.slice(start, start + 3 * AROUND);
  return `${start > 0 ? '… ' : ''}${shown}${start + 3 * AROUND < text.length ? ' …' : ''}`;
}

/** Sections in which every word occurs, the likeliest first. */
export function findSections({ pages, sections }: SearchIndex, query: string): Found[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const found = sections.flatMap(([page, anchor, heading, text]) => {
    const [name, title] = pages[page]!;
    const [lowTitle, lowHeading, low] = [title, heading, text].map((one) => one.toLowerCase());
    const scores = words.map((word) => scoreOf(word, lowTitle!, lowHeading!, low!));
    if (scores.includes(0)) return [];
    const score = scores.reduce((sum, one) => sum + one, 0) + 3 * chapterWeight(name);
    return [{ score, name, title, anchor, heading, text }];
  });
  return found
    .toSorted((a, b) => b.score - a.score)
    .slice(0, SHOWN)
    .map(({ name, title, anchor, heading, text }) => ({
      href: `${name}.html${anchor === '' ? '' : `#${anchor}`}`,
      page: title,
      heading,
      excerpt: excerptOf(text, words),
    }));
}
