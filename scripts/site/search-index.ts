// What the search of the site looks through: every section of every page.
import { textOf } from './markdown.ts';

/** Page, anchor, heading, text. */
export type IndexedSection = readonly [page: number, anchor: string, heading: string, text: string];

export interface SearchIndex {
  readonly pages: readonly (readonly [name: string, title: string])[];
  readonly sections: readonly IndexedSection[];
}

/** Guides are searched whole; long tables of the reference by their headings and first rows. */
const TEXT_MAX = { guide: 1_500, other: 1_000 } as const;
const GUIDES = /^(?:learn|operate|recipes|migrate)\//;

interface IndexedPage {
  readonly name: string;
  readonly title: string;
  readonly html: string;
}

function sectionsOf({ name, html, title }: IndexedPage, page: number): IndexedSection[] {
  const textMax = TEXT_MAX[GUIDES.test(name) ? 'guide' : 'other'];
  const parts = html.split(/(?=<h[1-4] id=")/);
  return parts.flatMap((part): IndexedSection[] => {
    const [, anchor, inside] = /^<h[1-4] id="([^"]*)">([\s\S]*?)<\/h[1-4]>/.exec(part) ?? [];
    if (anchor === undefined || inside === undefined) return [];
    const heading = textOf(inside.replace(/ <a class="anchor"[\s\S]*$/, ''));
    const rest = part
      .slice(part.indexOf('</h') + 5)
      .replace(/<p>Made by <code>npm run [\s\S]*?<\/p>/, '')
      .replaceAll(/<\/(?:td|th|li|p|pre)>/g, ' ');
    const text = textOf(rest).replaceAll(/\s+/g, ' ').trim().slice(0, textMax);
    return [[page, heading === title ? '' : anchor, heading, text]];
  });
}

export function searchIndexOf(pages: readonly IndexedPage[]): SearchIndex {
  return {
    pages: pages.map(({ name, title }) => [name, title]),
    sections: pages.flatMap(sectionsOf),
  };
}
