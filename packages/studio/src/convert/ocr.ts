import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
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
  createWorker(languages: readonly string[], mode: number, options: object): Promise<Worker>;
}

const PACKAGE: string = 'tesseract.js';
/** Its neural network alone, which is what the data of the packages is for. */
const NETWORK = 1;
const PAGE_MS = 60_000;

/** The file with the data of a language, from its package; null where that is not installed. */
function dataOf(code: string): string | null {
  try {
    const { resolve } = createRequire(import.meta.url);
    const folder = dirname(resolve(`@tesseract.js-data/${code}/package.json`));
    return join(folder, '4.0.0_best_int', `${code}.traineddata.gz`);
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
        worker.recognize(picture, {}, { blocks: true }).catch(() => null),
        ended(signal),
      ]);
      if (answer !== null) return textOf(answer.data.blocks ?? []);
      await close();
      signal?.throwIfAborted();
      return { missing: `the page is a picture, which was not read in ${PAGE_MS} ms` };
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
  const lacking = languages.filter((code) => dataOf(code) === null);
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
  // It takes data from one folder. A folder is never an address, so nothing is fetched.
  const langPath = await mkdtemp(join(tmpdir(), 'pawl-ocr-'));
  try {
    for (const code of languages) {
      const file = dataOf(code)!;
      await copyFile(file, join(langPath, basename(file)));
    }
    const options = { langPath, cacheMethod: 'none', gzip: true, errorHandler: () => undefined };
    return await library.createWorker(languages, NETWORK, options);
  } catch (error) {
    return `the page is a picture, and tesseract.js does not start: ${String(error).slice(0, 200)}`;
  } finally {
    await rm(langPath, { recursive: true, force: true });
  }
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
