import type { Deck, Slide } from '../deck/deck.ts';
import { mix } from '../deck/theme.ts';
import { arrange } from '../draw/arrange.ts';
import { compose, type Composed, decorations } from '../draw/compose.ts';
import { openTypesetter, type Typesetter } from '../draw/typeset.ts';
import { optionalPackage } from '../work/optional-package.ts';
import { finishPptx } from './pptx-finish.ts';
import { fillSlide, inches, type PptxSlide, type WrittenSlide } from './pptx-slide.ts';
import type { DeckWriter, WriterOptions } from './writer.ts';

/** What we use of PptxGenJS, whose own declarations do not load as a module of today. */
interface Pptx {
  title: string;
  layout: string;
  theme: { headFontFace: string; bodyFontFace: string };
  defineLayout(layout: { name: string; width: number; height: number }): void;
  defineSlideMaster(master: Record<string, unknown>): void;
  addSlide(options: { masterName: string }): PptxSlide;
  write(options: { outputType: 'uint8array'; compression: boolean }): Promise<Uint8Array>;
}

/** Writes a deck for PowerPoint and its likes, with placeholders, levels, tables and charts. */
export async function openPptxWriter(deck: Deck, options: WriterOptions): Promise<DeckWriter> {
  const { default: Library } = (await optionalPackage(
    'pptxgenjs',
    () => import('pptxgenjs'),
  )) as unknown as { default: new () => Pptx };
  const typesetter = await openTypesetter();
  const pptx = new Library();
  pptx.title = deck.title;
  pptx.theme = { headFontFace: deck.theme.fonts.heading, bodyFontFace: deck.theme.fonts.body };
  const { width, height } = deck.size;
  pptx.defineLayout({ name: 'DECK', width: width / 72, height: height / 72 });
  pptx.layout = 'DECK';
  for (const layout of ['title', 'section', 'content', 'columns', 'blank'] as const) {
    pptx.defineSlideMaster(masterOf(layout, deck, typesetter));
  }
  const around = { deck, typesetter, readAsset: options.readAsset };
  const slides: WrittenSlide[] = [];
  return {
    add: async (slide, ledger) => {
      const page = pptx.addSlide({ masterName: slide.layout });
      slides.push(await fillSlide(page, slide, { ...around, ledger }));
    },
    finish: async () => {
      const written = await pptx.write({ outputType: 'uint8array', compression: true });
      return finishPptx(written, deck, { slides, createdAt: options.createdAt });
    },
  };
}

function masterOf(
  layout: Slide['layout'],
  deck: Deck,
  typesetter: Typesetter,
): Record<string, unknown> {
  const runs = [{ text: ' ' }];
  const isOpening = layout === 'title' || layout === 'section';
  const sample: Slide = {
    id: layout,
    layout,
    blocks: [],
    ...(layout === 'blank' ? {} : { title: runs }),
    ...(isOpening ? { subtitle: runs } : {}),
  };
  const composed = compose(sample, deck, typesetter);
  const { title, subtitle, colours } = composed;
  // A source that brings its own design is not given ours.
  const isOurs = deck.slides.some((one) => one.layout === layout && arrange(one, deck).isOurs);
  const marks = isOurs ? decorations(sample, composed) : [];
  const muted = mix(colours.text, colours.background, 0.3);
  const place = (name: string, type: string, frame: Composed['title']): unknown[] => {
    if (frame === null) return [];
    const options = {
      name,
      type,
      ...inches(frame.box),
      margin: 0,
      fontSize: frame.style.sizeOf(0),
      bold: frame.style.bold,
      color: (name === 'title' ? colours.text : muted).slice(1),
      align: 'left',
      valign: frame.anchor === 1 ? 'bottom' : frame.anchor === 0 ? 'top' : 'middle',
    };
    return [{ placeholder: { options, text: '' } }];
  };
  return {
    title: layout,
    background: { color: colours.background.slice(1) },
    objects: [
      ...marks.map(([box, colour]) => ({
        rect: {
          ...inches({ ...box, height: Math.min(box.height, deck.size.height) }),
          fill: { color: colour.slice(1) },
        },
      })),
      ...place('title', 'title', title),
      ...place('subtitle', 'body', subtitle),
    ],
  };
}
