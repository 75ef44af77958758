import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { catchUncaught, takingUncaught } from 'pawl/define';
import { optionalPackage } from '../work/optional-package.ts';
import { BOUNDS } from './bounds.ts';
import type { TagNode } from './pdf-tagged.ts';
import { corrupted, refuse, WRONG_PASSWORD } from './refusal.ts';

/** What we use of pdf.js. */
export interface PdfDocument {
  readonly numPages: number;
  getPage(number: number): Promise<PdfPage>;
  getMetadata(): Promise<{ readonly info: unknown }>;
}

export interface PdfTextItem {
  readonly type?: string;
  readonly tag?: string;
  readonly id?: string | null;
  readonly str?: string;
  readonly transform?: readonly number[];
  readonly width?: number;
  readonly height?: number;
  readonly fontName?: string;
  readonly hasEOL?: boolean;
}

export interface PdfImage {
  readonly width: number;
  readonly height: number;
  readonly kind?: number;
  readonly data?: Uint8Array | Uint8ClampedArray | null;
}

interface PdfObjects {
  has(id: string): boolean;
  get(id: string, callback?: (value: unknown) => void): unknown;
}

export interface PdfPage {
  readonly view: readonly number[];
  getViewport(options: { readonly scale: number }): {
    readonly transform: readonly number[];
    readonly width: number;
    readonly height: number;
  };
  readonly objs: PdfObjects;
  readonly commonObjs: PdfObjects;
  render(options: object): { readonly promise: Promise<void> };
  getTextContent(options: object): Promise<{ readonly items: readonly PdfTextItem[] }>;
  getStructTree(): Promise<TagNode | null>;
  getAnnotations(): Promise<readonly Readonly<Record<string, unknown>>[]>;
  getOperatorList(): Promise<{ readonly fnArray: number[]; readonly argsArray: unknown[][] }>;
  cleanup(): void;
}

interface PdfLibrary {
  readonly OPS: Readonly<Record<string, number>>;
  getDocument(options: object): {
    readonly promise: Promise<PdfDocument>;
    destroy(): Promise<void>;
  };
}

export interface OpenedPdf {
  readonly document: PdfDocument;
  readonly operators: Readonly<Record<string, number>>;
  /** Waits for some reading, or for a fault of the file that came up beside it. */
  during<Read>(read: () => Promise<Read>): Promise<Read>;
  close(): Promise<void>;
}

/** Not written out at the import: its declarations speak of a browser, and do not compile here. */
const PDFJS_MODULE: string = 'pdfjs-dist/legacy/build/pdf.mjs';

/** Opens a PDF without running, fetching or believing anything that is in it. */
export async function openPdfDocument(
  bytes: Uint8Array,
  password: string | undefined,
): Promise<OpenedPdf> {
  const library = await optionalPackage(
    'pdfjs-dist',
    () => import(PDFJS_MODULE) as Promise<PdfLibrary>,
  );
  const folder = dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'));
  const inside = (name: string): string => `${pathToFileURL(join(folder, name)).href}/`;
  const strays = new Strays();
  const task = strays.within(() =>
    library.getDocument({
      // It is taken over by the parser.
      data: Uint8Array.from(bytes),
      ...(password === undefined ? {} : { password }),
      isEvalSupported: false,
      isOffscreenCanvasSupported: false,
      isImageDecoderSupported: false,
      useSystemFonts: false,
      disableFontFace: true,
      // The names of fonts, which tell bold from plain.
      fontExtraProperties: true,
      enableXfa: false,
      stopAtErrors: false,
      maxImageSize: BOUNDS.imagePixels,
      verbosity: 0,
      standardFontDataUrl: inside('standard_fonts'),
      cMapUrl: inside('cmaps'),
      cMapPacked: true,
      wasmUrl: inside('wasm'),
      iccUrl: inside('iccs'),
    }),
  );
  try {
    const document = await strays.during(() => task.promise);
    return {
      document,
      operators: library.OPS,
      during: (read) => strays.during(read),
      close: async () => {
        await task.destroy();
        strays.stop();
      },
    };
  } catch (error) {
    await task.destroy();
    strays.stop();
    if (error instanceof Error && error.name === 'PasswordException') {
      const what = password === undefined ? 'the PDF asks for a password' : WRONG_PASSWORD;
      throw refuse('CONVERT_PASSWORD_PROTECTED', what, error);
    }
    throw corrupted(error, 'the PDF cannot be read');
  }
}

/** The parser lets go of some promises; their faults are faults of the file. */
class Strays {
  readonly #found = Promise.withResolvers<never>();
  /** Also where no worker listens; what is not the parser's is left as it is. */
  readonly #stop = catchUncaught((thrown) => {
    throw thrown;
  });

  constructor() {
    this.#found.promise.catch(() => undefined);
  }

  stop(): void {
    this.#stop();
  }

  within<Answer>(work: () => Answer): Answer {
    return takingUncaught((thrown) => this.#take(thrown), work);
  }

  during<Read>(read: () => Promise<Read>): Promise<Read> {
    return Promise.race([this.within(read), this.#found.promise]);
  }

  #take(thrown: unknown): boolean {
    const { name, stack } = (thrown ?? {}) as { name?: string; stack?: string };
    const isParsers =
      name?.endsWith('Exception') === true || stack?.includes('pdfjs-dist') === true;
    if (isParsers) this.#found.reject(thrown);
    return isParsers;
  }
}
