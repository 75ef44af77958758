import type { SourceType } from '../deck/deck.ts';
import { BOUNDS } from './bounds.ts';
import { refuse } from './refusal.ts';
import { ZipFiles } from './zip.ts';

/** What the sender says of a source. */
export interface SourceHints {
  readonly sourceType?: SourceType;
  readonly name?: string;
  readonly contentType?: string;
}

const EXTENSIONS: Readonly<Record<string, SourceType>> = {
  pptx: 'pptx',
  pdf: 'pdf',
  docx: 'docx',
  md: 'md',
  markdown: 'md',
  html: 'html',
  htm: 'html',
  xhtml: 'html',
  txt: 'txt',
  text: 'txt',
  odp: 'odp',
  ppt: 'ppt',
  odt: 'odt',
  doc: 'doc',
  rtf: 'rtf',
  ods: 'ods',
  xlsx: 'xlsx',
  xls: 'xls',
};

/** Types that are told by their bytes, never by a name alone. */
const TEXTS: ReadonlySet<SourceType> = new Set(['md', 'html', 'txt']);

const TEXT_TYPES: Readonly<Record<string, SourceType>> = {
  'text/markdown': 'md',
  'text/html': 'html',
  'application/xhtml+xml': 'html',
  'text/plain': 'txt',
};

/** What a source is: the bytes have the first word, the sender the second. */
export function sourceTypeOf(bytes: Uint8Array, hints: SourceHints): SourceType {
  if (bytes.byteLength === 0) throw refuse('CONVERT_EMPTY', 'the file is empty');
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 4_096));
  if (head.subarray(0, 1_024).includes('%PDF-')) return 'pdf';
  if (head.length >= 4 && head.readUInt32BE(0) === 0x504b0304) return officeType(bytes);
  if (isCompound(bytes)) return oldOffice(bytes);
  if (head.subarray(0, 5).toString('latin1') === '{\\rtf') return 'rtf';
  const said = hintedType(hints);
  if (said !== null && !TEXTS.has(said)) {
    throw refuse('CONVERT_CORRUPTED', `the file is not a ${said}, although its name says so`);
  }
  const isWide =
    head.length > 1 && (head.readUInt16BE(0) === 0xfffe || head.readUInt16BE(0) === 0xfeff);
  if (!isWide && head.includes(0)) {
    throw refuse('CONVERT_UNSUPPORTED_FORMAT', 'the file is of no kind that can be converted');
  }
  if (said !== null) return said;
  const extension = /\.(\w+)$/.exec(hints.name ?? '')?.[1];
  if (extension !== undefined) {
    throw refuse('CONVERT_UNSUPPORTED_FORMAT', `files that end in .${extension} are not converted`);
  }
  return /^\s*<(!doctype html|html)/i.test(head.toString('latin1')) ? 'html' : 'txt';
}

function hintedType({ sourceType, name, contentType }: SourceHints): SourceType | null {
  const extension = /\.(\w+)$/.exec(name ?? '')?.[1]?.toLowerCase() ?? '';
  const media = (contentType ?? '').split(';')[0]!.trim().toLowerCase();
  const named = Object.hasOwn(EXTENSIONS, extension) ? EXTENSIONS[extension]! : null;
  if (sourceType !== undefined || named !== null) return sourceType ?? named;
  // An extension that we do not know says more than "it is text".
  if (extension !== '' && media === 'text/plain') return null;
  return Object.hasOwn(TEXT_TYPES, media) ? TEXT_TYPES[media]! : null;
}

/** Parts that tell what a package of parts is. */
const FOLDERS = { 'ppt/': 'pptx', 'word/': 'docx', 'xl/': 'xlsx' } as const;
const OPEN_DOCUMENTS = {
  'application/vnd.oasis.opendocument.presentation': 'odp',
  'application/vnd.oasis.opendocument.text': 'odt',
  'application/vnd.oasis.opendocument.spreadsheet': 'ods',
} as const;
const MIMETYPE_BYTES = 200;

function officeType(bytes: Uint8Array): SourceType {
  const files = new ZipFiles(bytes);
  for (const [folder, type] of Object.entries(FOLDERS)) {
    if (files.names.some((name) => name.startsWith(folder))) return type;
  }
  const said = files.has('mimetype') ? files.read('mimetype', MIMETYPE_BYTES).toString() : '';
  if (!Object.hasOwn(OPEN_DOCUMENTS, said)) {
    throw refuse('CONVERT_UNSUPPORTED_FORMAT', 'the archive is not a known document');
  }
  const manifest = files.has('META-INF/manifest.xml')
    ? files.read('META-INF/manifest.xml', BOUNDS.xmlBytes).toString()
    : '';
  if (manifest.includes('encryption-data')) {
    throw refuse('CONVERT_PASSWORD_PROTECTED', 'the file is encrypted, as only its program reads');
  }
  return OPEN_DOCUMENTS[said as keyof typeof OPEN_DOCUMENTS];
}

const COMPOUND = 0xd0cf11e0a1b11ae1n;

/** Whether some bytes are a file in which older office programs keep several. */
export function isCompound(bytes: Uint8Array): boolean {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(8, bytes.byteLength));
  return head.length === 8 && head.readBigUInt64BE(0) === COMPOUND;
}

/** Files in it that tell what it is; encrypted files of today are wrapped so as well. */
const STREAMS = {
  'PowerPoint Document': 'ppt',
  WordDocument: 'doc',
  Workbook: 'xls',
  Book: 'xls',
} as const;

function oldOffice(bytes: Uint8Array): SourceType {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const has = (name: string): boolean => file.includes(Buffer.from(`${name}\0`, 'utf16le'));
  if (has('EncryptedPackage')) {
    throw refuse('CONVERT_PASSWORD_PROTECTED', 'the file is encrypted');
  }
  for (const [stream, type] of Object.entries(STREAMS)) if (has(stream)) return type;
  throw refuse('CONVERT_UNSUPPORTED_FORMAT', 'it is not a file of a known office program');
}
