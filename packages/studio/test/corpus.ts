// Decks made by chance from a seed: the same everywhere, and with everything that a deck can have.
import { createHash } from 'node:crypto';
import { SeededRandom } from 'pawl/internal/core/random';
import type { Asset, Block, Deck, Paragraph, Run, Slide } from '../src/deck/deck.ts';
import { defaultTheme, WIDE_SIZE } from '../src/deck/theme.ts';
import { gradient } from '../src/sample/png.ts';

const WORDS = (
  'harbour lantern gear pawl ratchet ledger quay signal winter orchard thread copper über café ' +
  'Ελλάδα Москва naïve a&b <tag> "quoted" 100% 3/4 x=y it’s'
).split(' ');

class DeckMaker {
  readonly #random: SeededRandom;
  readonly #assets: Record<string, Asset> = {};

  constructor(seed: number) {
    this.#random = new SeededRandom(seed);
  }

  make(seed: number): Deck {
    const count = 3 + this.#random.below(5);
    const slides = Array.from({ length: count }, (_, index) => this.#slide(index));
    const accents =
      this.#random.below(2) === 0 ? defaultTheme.colours.accents : ['#0F766E', '#B45309'];
    return {
      format: 'pawl-deck',
      version: 2,
      title: `Deck ${seed}: ${this.#words(3)}`,
      size: { ...(this.#random.below(3) === 0 ? { width: 720, height: 540 } : WIDE_SIZE) },
      theme: { ...defaultTheme, colours: { ...defaultTheme.colours, accents } },
      assets: this.#assets,
      slides,
    };
  }

  #words(count: number): string {
    return Array.from({ length: 1 + this.#random.below(count) }, () =>
      this.#random.pick(WORDS),
    ).join(' ');
  }

  #slide(index: number): Slide {
    const title = [{ text: this.#words(6) }];
    if (index === 0) {
      return { id: 's1', layout: 'title', title, subtitle: [{ text: this.#words(5) }], blocks: [] };
    }
    const kinds = ['text', 'text', 'table', 'image', 'chart'] as const;
    const count = 1 + this.#random.below(2);
    const blocks = Array.from({ length: count }, () => this.#block(this.#random.pick(kinds)));
    const hasNotes = this.#random.below(2) === 0;
    return {
      id: `s${index + 1}`,
      layout: count === 2 && this.#random.below(2) === 0 ? 'columns' : 'content',
      title,
      blocks,
      ...(hasNotes ? { notes: [this.#line(0), this.#line(0)] } : {}),
    };
  }

  #block(kind: 'text' | 'table' | 'image' | 'chart'): Block {
    switch (kind) {
      case 'text':
        return this.#text();
      case 'table':
        return this.#table();
      case 'image':
        return this.#image();
      case 'chart':
        return this.#chart();
    }
  }

  #line(level: number): Paragraph {
    return { level, runs: [{ text: this.#words(9) }] };
  }

  #text(): Block {
    const list = this.#random.pick(['bullet', 'number', undefined] as const);
    let level = 0;
    const paragraphs = Array.from({ length: 2 + this.#random.below(5) }, (): Paragraph => {
      const { runs } = this.#line(0);
      const paragraph = { level, ...(list === undefined ? {} : { list }), runs: this.#looks(runs) };
      level = Math.min(3, Math.max(0, level + this.#random.below(3) - 1));
      return paragraph;
    });
    return { kind: 'text', paragraphs };
  }

  #looks(runs: Run[]): Run[] {
    if (this.#random.below(3) > 0) return runs;
    const look = this.#random.pick([
      { bold: true },
      { italic: true },
      { code: true },
      { colour: '#DC2626' },
      { link: 'https://example.org/a?b=1&c=2' },
    ] as const);
    return [...runs, { text: ' and ' }, { text: this.#words(2), ...look }];
  }

  #table(): Block {
    const columns = 2 + this.#random.below(3);
    const rows = Array.from({ length: 2 + this.#random.below(4) }, () =>
      Array.from({ length: columns }, () => ({ runs: [{ text: this.#words(2) }] })),
    );
    return { kind: 'table', header: this.#random.below(3) > 0, rows };
  }

  #image(): Block {
    const [width, height] = [24 + this.#random.below(60), 24 + this.#random.below(60)];
    const bytes = gradient(width, height, this.#random.below(256));
    const asset = createHash('sha256').update(bytes).digest('hex');
    this.#assets[asset] = {
      mediaType: 'image/png',
      width,
      height,
      data: bytes.toString('base64'),
    };
    return { kind: 'image', asset, alt: this.#words(4) };
  }

  #chart(): Block {
    const categories = Array.from({ length: 2 + this.#random.below(4) }, (_, index) => `c${index}`);
    return {
      kind: 'chart',
      chart: this.#random.pick(['bar', 'column', 'line', 'area', 'pie', 'doughnut'] as const),
      title: this.#words(3),
      categories,
      series: [{ name: 'one', values: categories.map(() => this.#random.below(90) + 1) }],
    };
  }
}

export function deckOf(seed: number): Deck {
  return new DeckMaker(seed).make(seed);
}

/** The bytes of a deck's own images. */
export function assetReader({ assets }: Deck): (asset: string) => Promise<Uint8Array> {
  return async (asset) => Buffer.from(assets[asset]!.data!, 'base64');
}
