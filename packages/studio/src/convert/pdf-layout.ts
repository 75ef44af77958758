import type { PageRegion, RegionBox } from './pdf-region.ts';

/** What reads the layout of pages: columns in their order, and tables by their rules. */
export interface LayoutReader {
  readonly name: string;
  /** The parts of a page in reading order; null where the page cannot be read so. From 0. */
  regionsOf(index: number): Promise<readonly PageRegion[] | null>;
}

/** What we use of liteparse. */
interface Block {
  readonly kind: string;
  readonly bbox?: Rectangle;
  readonly level?: number;
  readonly header?: readonly Cell[];
  readonly rows?: readonly (readonly Cell[])[];
}
interface Cell {
  readonly bbox?: Rectangle;
}
interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}
interface Page {
  readonly pageNum: number;
  readonly height: number;
  readonly blocks?: readonly Block[];
}
interface Parser {
  parse(bytes: Uint8Array): Promise<{ readonly pages: readonly Page[] }>;
  close(): void;
}
interface Library {
  readonly LiteParse: new (options: object) => Parser;
}

const PACKAGE: string = '@llamaindex/liteparse';
/** So many pages are read at once. */
const WINDOW = 100;
const TIMEOUT_MS = 20_000;

/** A reader of layouts where one is installed, else null. Nothing is ever fetched. */
export async function openLayout(
  bytes: Uint8Array,
  password: string | undefined,
): Promise<LayoutReader | null> {
  const library = await import(PACKAGE).then(
    (found) => found as Library,
    () => null,
  );
  if (library === null) return null;
  const windows = new Map<number, Promise<ReadonlyMap<number, readonly PageRegion[]> | null>>();
  const read = async (first: number) => {
    const parser = new library.LiteParse({
      // Its recognition of text fetches data, from elsewhere.
      ocrEnabled: false,
      outputFormat: 'json',
      imageMode: 'off',
      extractBlocks: true,
      // What stands on every page is told from the rest by nothing that could not also be text.
      keepHeadersFooters: true,
      preserveVerySmallText: true,
      targetPages: `${first + 1}-${first + WINDOW}`,
      quiet: true,
      continueOnPageError: true,
      // A process of its own: it is machine code, and files come from anywhere.
      poolSize: 1,
      parseTimeoutMs: TIMEOUT_MS,
      ...(password === undefined ? {} : { password }),
    });
    try {
      const { pages } = await parser.parse(bytes);
      return new Map(pages.map((page) => [page.pageNum, regionsIn(page)]));
    } catch {
      // The other reader says what is wrong with the file, if anything is.
      return null;
    } finally {
      parser.close();
    }
  };
  return {
    name: 'liteparse',
    regionsOf: async (index) => {
      const first = Math.floor(index / WINDOW) * WINDOW;
      const window = windows.get(first) ?? read(first);
      windows.clear();
      windows.set(first, window);
      return (await window)?.get(index + 1) ?? null;
    },
  };
}

function regionsIn({ blocks = [], height }: Page): PageRegion[] {
  const boxOf = ({ x, y, width, height: tall }: Rectangle): RegionBox => ({
    left: x,
    right: x + width,
    top: height - y,
    bottom: height - y - tall,
  });
  return blocks.flatMap((block): PageRegion[] => {
    if (block.bbox === undefined || block.kind === 'rule' || block.kind === 'figure') return [];
    const box = boxOf(block.bbox);
    if (block.kind !== 'table') return [{ kind: 'text', isHeading: block.kind === 'heading', box }];
    const rows = [...(block.header === undefined ? [] : [block.header]), ...(block.rows ?? [])];
    const cells = rows.map((row) =>
      row.map(({ bbox }) => (bbox === undefined ? null : boxOf(bbox))),
    );
    return [{ kind: 'table', box, cells, hasHeader: block.header !== undefined }];
  });
}
