import type { SourceType } from '../deck/deck.ts';
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
};

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
  if (head.length >= 8 && head.readBigUInt64BE(0) === 0xd0cf11e0a1b11ae1n) throw oldOffice(bytes);
  const said = hintedType(hints);
  if (said === 'pptx' || said === 'docx' || said === 'pdf') {
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

function officeType(bytes: Uint8Array): SourceType {
  const { names } = new ZipFiles(bytes);
  if (names.some((name) => name.startsWith('ppt/'))) return 'pptx';
  if (names.some((name) => name.startsWith('word/'))) return 'docx';
  throw refuse('CONVERT_UNSUPPORTED_FORMAT', 'the archive is neither a .pptx nor a .docx');
}

/** Encrypted files of today are wrapped in the format of the old ones. */
function oldOffice(bytes: Uint8Array): Error {
  const wrapped = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return wrapped.includes(Buffer.from('EncryptedPackage', 'utf16le'))
    ? refuse('CONVERT_PASSWORD_PROTECTED', 'the file is encrypted')
    : refuse('CONVERT_UNSUPPORTED_FORMAT', 'the file is of the office formats before 2007');
}
