import type { Deck, Slide } from '../deck/deck.ts';
import { plainLines, plainText } from '../deck/text.ts';
import { paintSlide } from '../draw/paint-slide.ts';
import { openTypesetter, type Typesetter } from '../draw/typeset.ts';
import { optionalPackage } from '../work/optional-package.ts';
import { PdfParts } from './pdf-parts.ts';
import { PdfPen } from './pdf-pen.ts';
import type { DeckWriter, WriterOptions } from './writer.ts';

/** Images in formats that a PDF knows; the others become PNG. */
const PDF_IMAGES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg']);

async function pdfImage(
  deck: Deck,
  asset: string,
  { bytes, typesetter }: { bytes: Buffer; typesetter: Typesetter },
): Promise<Buffer> {
  if (PDF_IMAGES.has(deck.assets[asset]!.mediaType)) return bytes;
  const { createCanvas, loadImage } = typesetter.canvas;
  const image = await loadImage(bytes);
  const canvas = createCanvas(image.width, image.height);
  canvas.getContext('2d').drawImage(image, 0, 0);
  return canvas.encode('png');
}

/** A GIF with a second picture in it. */
function isMoving(bytes: Buffer): boolean {
  const control = Buffer.from([0x21, 0xf9, 0x04]);
  if (!bytes.subarray(0, 6).toString('latin1').startsWith('GIF8')) return false;
  const first = bytes.indexOf(control);
  return first >= 0 && bytes.indexOf(control, first + 1) >= 0;
}

const EMOJI_PIXELS = 160;

/** Draws emoji as pictures, each once: pages cannot have the layers of their font. */
function emojiPictures({ place, canvas }: EmojiTools): (text: string) => Buffer {
  const kept = new Map<string, Buffer>();
  return (text) => {
    const known = kept.get(text);
    if (known !== undefined) return known;
    const face = { family: 'sans', bold: false, italic: false } as const;
    const { stretches, width } = place(text, face, EMOJI_PIXELS);
    const sheet = canvas.createCanvas(Math.max(1, Math.ceil(width)), Math.ceil(EMOJI_PIXELS * 1.2));
    const context = sheet.getContext('2d');
    context.font = `${EMOJI_PIXELS}px "${stretches[0]!.font.name}"`;
    context.fillText(text, 0, EMOJI_PIXELS * 0.95);
    const png = sheet.toBuffer('image/png');
    kept.set(text, png);
    return png;
  };
}

interface EmojiTools {
  readonly place: Typesetter['place'];
  readonly canvas: Typesetter['canvas'];
}

export interface PdfOptions extends WriterOptions {
  /** Speaker notes become notes on the page, which whoever gets the file can read. */
  readonly withNotes: boolean;
}

/** Writes a deck as PDF: text to select and search, fonts in the file, tagged for readers. */
export async function openPdfWriter(deck: Deck, options: PdfOptions): Promise<DeckWriter> {
  const { default: PDFDocument } = await optionalPackage('pdfkit', () => import('pdfkit'));
  const typesetter = await openTypesetter();
  const { width, height } = deck.size;
  const document = new PDFDocument({
    autoFirstPage: false,
    size: [width, height],
    margin: 0,
    pdfVersion: '1.7',
    tagged: true,
    displayTitle: true,
    lang: deck.language ?? 'en',
    info: { Title: deck.title, Producer: 'Pawl', Creator: 'Pawl', CreationDate: options.createdAt },
  });
  const root = document.struct('Document');
  document.addStructure(root);
  const chunks: Buffer[] = [];
  document.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise<void>((resolve, reject) => {
    document.on('end', resolve);
    document.on('error', reject);
  });
  const images = new Map<string, Buffer>();
  const moving = new Set<string>();
  const emoji = emojiPictures({
    place: (...of) => typesetter.place(...of),
    canvas: typesetter.canvas,
  });
  const { readAsset } = options;
  return {
    add: async (slide, ledger) => {
      for (const [index, block] of slide.blocks.entries()) {
        if (block.kind !== 'image') continue;
        if (!images.has(block.asset)) {
          const bytes = Buffer.from(await readAsset(block.asset));
          if (isMoving(bytes)) moving.add(block.asset);
          images.set(block.asset, await pdfImage(deck, block.asset, { bytes, typesetter }));
        }
        if (!moving.has(block.asset)) continue;
        ledger.blocks[index]!.lose('MEDIA_DROPPED', 'a moving picture stands still in a PDF');
      }
      document.addPage();
      const parts = new PdfParts(document, root);
      const onShadow = (): void =>
        ledger.slide.lose('SHADOW_APPROXIMATED', 'shadows have hard edges in a PDF');
      typesetter.take();
      const pen = new PdfPen({ document, parts, images, typesetter, emoji, onShadow });
      paintSlide(pen, slide, deck, typesetter);
      parts.end();
      for (const { code, what, text } of typesetter.take()) ledger.slide.lose(code, what, text);
      outline(document, slide);
      if (options.withNotes && slide.notes !== undefined) addNotes(document, slide, deck.size);
    },
    finish: async () => {
      document.end();
      await ended;
      return Buffer.concat(chunks);
    },
  };
}

function outline(document: PDFKit.PDFDocument, { title }: Slide): void {
  if (title !== undefined) document.outline.addItem(plainText(title));
}

function addNotes(document: PDFKit.PDFDocument, { notes }: Slide, { width }: Deck['size']): void {
  document.note(width - 28, 8, 20, 20, plainLines(notes!));
}
