import type { SourceType } from '../deck/deck.ts';
import { openByOffice } from './by-office.ts';
import { openDocx } from './docx.ts';
import type { Openers, SourceOptions, SourceReader } from './draft.ts';
import { openHtml } from './html.ts';
import { openMarkdown } from './markdown.ts';
import { openPdf } from './pdf.ts';
import { openPptx } from './pptx.ts';
import { openText } from './source-text.ts';

const OPENERS: Openers = {
  pptx: openPptx,
  pdf: openPdf,
  docx: openDocx,
  md: openMarkdown,
  html: openHtml,
  txt: openText,
  odp: openByOffice('odp'),
  ppt: openByOffice('ppt'),
  odt: openByOffice('odt'),
  doc: openByOffice('doc'),
  rtf: openByOffice('rtf'),
  ods: openByOffice('ods'),
  xlsx: openByOffice('xlsx'),
  xls: openByOffice('xls'),
};

/** Opens a source of a type that is known. */
export function openSource(
  bytes: Uint8Array,
  { type, ...options }: SourceOptions & { readonly type: SourceType },
): Promise<SourceReader> {
  return OPENERS[type](bytes, options);
}
