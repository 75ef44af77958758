import type { SourceType } from '../deck/deck.ts';
import { openTypesetter } from '../draw/typeset.ts';
import { findOffice, runOffice } from '../office/run-office.ts';
import { BOUNDS } from './bounds.ts';
import type { SourceOptions } from './draft.ts';
import { type OpenedPdf, openPdfDocument } from './pdf-library.ts';

/** Draws a source as it is, page by page, or says why it cannot. */
export type SourceDrawing =
  | { readonly missing: string }
  | {
      readonly drawnBy: string;
      readonly pages: number;
      /** A PNG; from 0. */
      draw(index: number): Promise<Buffer>;
      close(): Promise<void>;
    };

const WIDTH = 960;
const TEXTS: ReadonlySet<SourceType> = new Set(['md', 'txt']);
/** Hidden slides too, so that pages have the numbers of slides. */
const HIDDEN = '{"ExportHiddenSlides":{"type":"boolean","value":"true"}}';
const FILTERS: Readonly<Partial<Record<SourceType, string>>> = {
  pptx: `pdf:impress_pdf_Export:${HIDDEN}`,
  odp: `pdf:impress_pdf_Export:${HIDDEN}`,
  ppt: `pdf:impress_pdf_Export:${HIDDEN}`,
  html: 'pdf:writer_web_pdf_Export',
};

/** Opens the pages of a source. What goes wrong here never makes a conversion fail. */
export async function openSourceDrawing(
  bytes: Uint8Array,
  { type, password, signal }: SourceOptions & { readonly type: SourceType },
): Promise<SourceDrawing> {
  if (type === 'pdf') return drawPages(await openPdfDocument(bytes, password), 'pdf.js');
  if (TEXTS.has(type)) return { missing: 'a text has no look of its own' };
  const office = findOffice();
  if (office === null) return { missing: 'LibreOffice is not installed where the job ran' };
  const to = FILTERS[type] ?? 'pdf';
  const answer = await runOffice(office, { bytes, extension: type, to, signal });
  if ('failed' in answer) return { missing: answer.what };
  return drawPages(await openPdfDocument(answer.made, undefined), 'LibreOffice');
}

async function drawPages(opened: OpenedPdf, drawnBy: string): Promise<SourceDrawing> {
  const { createCanvas } = (await openTypesetter()).canvas;
  return {
    drawnBy,
    pages: Math.min(BOUNDS.slides, opened.document.numPages),
    draw: (index) =>
      opened.during(async () => {
        const page = await opened.document.getPage(index + 1);
        const scale = WIDTH / Math.max(1, page.getViewport({ scale: 1 }).width);
        const viewport = page.getViewport({ scale });
        const height = Math.min(WIDTH * 4, Math.max(1, Math.round(viewport.height)));
        const canvas = createCanvas(WIDTH, height);
        const canvasContext = canvas.getContext('2d');
        canvasContext.fillStyle = '#FFFFFF';
        canvasContext.fillRect(0, 0, WIDTH, height);
        await page.render({ canvasContext, viewport }).promise;
        page.cleanup();
        return canvas.encode('png');
      }),
    close: () => opened.close(),
  };
}
