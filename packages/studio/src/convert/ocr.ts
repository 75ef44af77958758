import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Paragraph } from '../deck/deck.ts';
import { cleanText } from '../deck/text.ts';

/** What was recognised in a picture, or why nothing could be. */
export type Recognised =
  | { readonly missing: string }
  | {
      readonly paragraphs: readonly Paragraph[];
      /** From 0 to 1. */
      readonly confidence: number;
      readonly by: string;
    };

/** Recognises text in pictures, where somebody asked for it and the packages are there. */
export interface Recogniser {
  /** What it is, or null where it was not asked for or cannot be had. */
  name(): Promise<string | null>;
  read(picture: Uint8Array): Promise<Recognised>;
  close(): Promise<void>;
}

/** What we use of tesseract.js. */
interface Worker {
  recognize(
    picture: Uint8Array,
    options: object,
    output: { readonly blocks: true },
  ): Promise<{ readonly data: { readonly blocks: readonly Block[] | null } }>;
  terminate(): Promise<unknown>;
}
interface Block {
  readonly paragraphs: readonly {
    readonly lines: readonly { readonly text: string; readonly confidence: number }[];
  }[];
}
interface Library {
  createWorker(
    languages: readonly { readonly code: string; readonly data: Uint8Array }[],
    mode: number,
    options: object,
  ): Promise<Worker>;
}

const PACKAGE: string = 'tesseract.js';
/** Its neural network alone, which is what the data of the packages is for. */
const NETWORK = 1;
const PAGE_MS = 60_000;
const DATA_BYTES_MAX = 128 * 1024 ** 2;

/** The data of a language from its package; null where that is not installed. */
async function dataOf(code: string): Promise<Uint8Array | null> {
  try {
    const { resolve } = createRequire(import.meta.url);
    const folder = dirname(resolve(`@tesseract.js-data/${code}/package.json`));
    const packed = await readFile(join(folder, '4.0.0_best_int', `${code}.traineddata.gz`));
    return gunzipSync(packed, { maxOutputLength: DATA_BYTES_MAX });
  } catch {
    return null;
  }
}

/** Opens nothing before the first picture; what it lacks, it says and does not fetch. */
export function openRecogniser(
  languages: readonly string[],
  signal: AbortSignal | undefined,
): Recogniser {
  let opening: Promise<Worker | string> | null = null;
  const open = (): Promise<Worker | string> => (opening ??= openWorker(languages));
  const close = async (): Promise<void> => {
    const worker = await opening;
    opening = null;
    if (worker !== null && typeof worker !== 'string') await worker.terminate();
  };
  return {
    name: async () => {
      if (languages.length === 0) return null;
      return (await missingOf(languages)) === null ? 'tesseract.js' : null;
    },
    read: async (picture) => {
      if (languages.length === 0) return { missing: NOT_ASKED };
      const worker = await open();
      if (typeof worker === 'string') return { missing: worker };
      signal?.throwIfAborted();
      const answer = await Promise.race([
        worker.recognize(picture, {}, { blocks: true }),
        ended(signal),
      ]);
      if (answer !== null) return textOf(answer.data.blocks ?? []);
      await close();
      signal?.throwIfAborted();
      return { missing: `the page is a picture, and its text was not found in ${PAGE_MS} ms` };
    },
    close,
  };
}

const NOT_ASKED =
  'the page is a picture, and its text was not asked for: name its languages in `ocr`';

/** Null after the time that a page may take, or when nobody waits any more. */
function ended(signal: AbortSignal | undefined): Promise<null> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(null), PAGE_MS);
    timer.unref();
    signal?.addEventListener('abort', () => resolve(null), { once: true });
  });
}

async function missingOf(languages: readonly string[]): Promise<string | null> {
  const data = await Promise.all(languages.map(dataOf));
  const lacking = languages.filter((_, index) => data[index] === null);
  const names = lacking.map((code) => `@tesseract.js-data/${code}`);
  const hasLibrary = await import(PACKAGE).then(
    () => true,
    () => false,
  );
  if (!hasLibrary) names.unshift(PACKAGE);
  if (names.length === 0) return null;
  return `the page is a picture, and to read it needs npm install ${names.join(' ')}`;
}

async function openWorker(languages: readonly string[]): Promise<Worker | string> {
  const missing = await missingOf(languages);
  if (missing !== null) return missing;
  const { default: library } = (await import(PACKAGE)) as { readonly default: Library };
  const data = await Promise.all(
    languages.map(async (code) => ({ code, data: (await dataOf(code))! })),
  );
  // Data that is handed over is neither looked for elsewhere nor written anywhere.
  const options = { cacheMethod: 'none', errorHandler: () => undefined };
  return library.createWorker(data, NETWORK, options);
}

function textOf(blocks: readonly Block[]): Recognised {
  const found = blocks.flatMap((block) => block.paragraphs).map(({ lines }) => lines);
  const paragraphs = found.map((lines): Paragraph => {
    const text = cleanText(lines.map((line) => line.text.trim()).join(' ')).trim();
    return { level: 0, runs: text === '' ? [] : [{ text }] };
  });
  const lines = found.flat();
  const sum = lines.reduce((total, line) => total + line.confidence, 0);
  const confidence = lines.length === 0 ? 0 : Math.min(1, Math.max(0, sum / lines.length / 100));
  return {
    paragraphs: paragraphs.filter(({ runs }) => runs.length > 0),
    confidence: Math.round(confidence * 1_000) / 1_000,
    by: 'tesseract.js',
  };
}
