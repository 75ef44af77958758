// What must not get lost between formats, in a form that can be compared.
import { openSource } from '../src/convert/open-source.ts';
import { normaliseSlide } from '../src/convert/normalise.ts';
import type { FoundDeck } from '../src/convert/draft.ts';
import type { ChartBlock, Deck, Paragraph, Run, Slide, SourceType } from '../src/deck/deck.ts';

export interface Essence {
  readonly title: string;
  readonly subtitle: string;
  readonly lines: readonly string[];
  readonly tables: readonly string[];
  readonly images: readonly string[];
  readonly charts: readonly string[];
  readonly notes: readonly string[];
}

function words(runs: readonly Run[] = []): string {
  return runs
    .map(({ text }) => text)
    .join('')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function line({ level, list, runs }: Paragraph): string {
  return `${level} ${list ?? 'plain'} ${words(runs)}`;
}

function cells(row: readonly { runs: Run[] }[]): string[] {
  return row.map(({ runs }) => words(runs));
}

/** Colours that the theme does not have are said of each piece. */
function data(series: ChartBlock['series'][number]): object {
  return { ...series, colours: undefined };
}

/** `sizes` says how large each image is, where its bytes may differ. */
export function essenceOf(slide: Slide, sizes?: Deck['assets']): Essence {
  const blocks = slide.blocks.filter(({ role }) => role === undefined);
  const of = <Found>(pick: (block: Slide['blocks'][number]) => Found[]): Found[] =>
    blocks.flatMap(pick);
  return {
    title: words(slide.title),
    subtitle: words(slide.subtitle),
    lines: of((block) =>
      block.kind === 'text' || block.kind === 'shape' ? (block.paragraphs ?? []).map(line) : [],
    ),
    tables: of((block) =>
      block.kind === 'table' ? [`${block.header} ${JSON.stringify(block.rows.map(cells))}`] : [],
    ),
    images: of((block) => {
      if (block.kind !== 'image') return [];
      const size = sizes?.[block.asset];
      return [
        `${size === undefined ? block.asset : `${size.width}x${size.height}`} ${block.alt ?? ''}`,
      ];
    }),
    charts: of((block) =>
      block.kind === 'chart'
        ? [JSON.stringify([block.chart, block.title, block.categories, block.series.map(data)])]
        : [],
    ),
    notes: (slide.notes ?? []).map(line),
  };
}

/** Reads a file as a conversion does, without the job around it. */
export async function readFile(
  bytes: Uint8Array,
  type: SourceType,
): Promise<{ found: FoundDeck; slides: Slide[]; assets: Deck['assets'] }> {
  const reader = await openSource(bytes, { type, name: null });
  const slides: Slide[] = [];
  const assets: Record<string, Deck['assets'][string]> = {};
  for (let index = 0; index < reader.found.slides; index++) {
    const { draft, images } = await reader.slide(index);
    for (const { sha256, mediaType, width, height } of images) {
      assets[sha256] = { mediaType, width, height };
    }
    slides.push(normaliseSlide(draft, index, reader.found.theme));
  }
  await reader.close();
  return { found: reader.found, slides, assets };
}
