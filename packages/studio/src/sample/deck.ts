// The deck that T22 speaks of: thirty slides, with text, a table here and there, and images.
import { createHash } from 'node:crypto';
import { type Deck, DECK_VERSION, type Slide } from '../deck/deck.ts';
import { gradient } from './png.ts';

const IMAGES = 6;
const [WIDTH, HEIGHT] = [640, 360];

export function sampleDeck(slides: number): Deck {
  const images = Array.from({ length: IMAGES }, (_, tint) => gradient(WIDTH, HEIGHT, tint));
  const keys = images.map((bytes) => createHash('sha256').update(bytes).digest('hex'));
  const assets = Object.fromEntries(
    images.map((bytes, index) => [
      keys[index]!,
      {
        mediaType: 'image/png' as const,
        width: WIDTH,
        height: HEIGHT,
        data: bytes.toString('base64'),
      },
    ]),
  );
  return {
    format: 'pawl-deck',
    version: DECK_VERSION,
    title: `${slides} slides`,
    size: { width: 960, height: 540 },
    theme: {
      colours: { background: '#FFFFFF', text: '#1F2933', accents: ['#2563EB'] },
      fonts: { heading: 'DejaVu Sans', body: 'DejaVu Sans' },
    },
    assets,
    slides: Array.from({ length: slides }, (_, index) => slideOf(index, keys)),
  };
}

function slideOf(index: number, keys: readonly string[]): Slide {
  const cell = (text: string) => ({ runs: [{ text }] });
  const paragraphs = Array.from({ length: 5 }, (_, line) => ({
    level: line % 2,
    list: 'bullet' as const,
    runs: [{ text: `Point ${line + 1} of slide ${index + 1}, in a sentence of usual length.` }],
  }));
  const rows = ['North', 'South', 'West'].map((name) => [cell(name), cell(String(index * 7))]);
  return {
    id: `s${index + 1}`,
    layout: 'content',
    title: [{ text: `Slide ${index + 1}` }],
    blocks: [
      { kind: 'text', paragraphs },
      { kind: 'image', asset: keys[index % keys.length]!, alt: 'A gradient' },
      ...(index % 5 === 0 ? [{ kind: 'table' as const, header: true, rows }] : []),
    ],
  };
}
