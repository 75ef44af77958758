import type { Deck, Slide } from '../deck/deck.ts';
import { plainLines, plainText } from '../deck/text.ts';
import { loadCanvas, openMeasure, type ReadAsset } from '../draw/canvas.ts';
import { FACE_NAMES, faceFile } from '../draw/face.ts';
import { optionalPackage } from '../work/optional-package.ts';
import { paintSlide } from '../draw/paint-slide.ts';
import { PdfPen } from './pdf-pen.ts';
import type { DeckWriter, WriterOptions } from './pptx.ts';

/** Images in formats that a PDF knows; the others become PNG. */
const PDF_IMAGES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg']);

async function pdfImage(deck: Deck, asset: string, readAsset: ReadAsset): Promise<Buffer> {
  const bytes = Buffer.from(await readAsset(asset));
  if (PDF_IMAGES.has(deck.assets[asset]!.mediaType)) return bytes;
  const { createCanvas, loadImage } = await loadCanvas();
  const image = await loadImage(bytes);
  const canvas = createCanvas(image.width, image.height);
  canvas.getContext('2d').drawImage(image, 0, 0);
  return canvas.encode('png');
}

export interface PdfOptions extends WriterOptions {
  /** Speaker notes become notes on the page, which whoever gets the file can read. */
  readonly withNotes: boolean;
}

/** Writes a deck as PDF: text to select and search, fonts in the file, tagged for readers. */
export async function openPdfWriter(deck: Deck, options: PdfOptions): Promise<DeckWriter> {
  const { default: PDFDocument } = await optionalPackage('pdfkit', () => import('pdfkit'));
  const measure = await openMeasure();
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
  for (const name of FACE_NAMES) document.registerFont(name, faceFile(name));
  const root = document.struct('Document');
  document.addStructure(root);
  const chunks: Buffer[] = [];
  document.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise<void>((resolve, reject) => {
    document.on('end', resolve);
    document.on('error', reject);
  });
  const images = new Map<string, Buffer>();
  return {
    add: async (slide) => {
      for (const block of slide.blocks) {
        if (block.kind !== 'image' || images.has(block.asset)) continue;
        images.set(block.asset, await pdfImage(deck, block.asset, options.readAsset));
      }
      document.addPage();
      const pen = new PdfPen({ document, root, images, measure });
      paintSlide(pen, slide, deck, measure);
      pen.end();
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
