import type { Block, Cell } from '../deck/deck.ts';
import { type PageText, runsOfTexts } from './pdf-text.ts';

/** A place on a page in points, from below. */
export interface RegionBox {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** A part of a page: some text, or a table with the places of its cells. */
export type PageRegion =
  | { readonly kind: 'text'; readonly isHeading: boolean; readonly box: RegionBox }
  | {
      readonly kind: 'table';
      readonly box: RegionBox;
      readonly cells: readonly (readonly (RegionBox | null)[])[];
      readonly hasHeader: boolean;
    };

/** A region with the texts that stand in it. */
export interface FilledRegion {
  readonly region: PageRegion | null;
  readonly texts: PageText[];
}

const MARGIN = 2;

export function holds(box: RegionBox, { x, y, width, size }: PageText): boolean {
  const [across, up] = [x + Math.min(width, size) / 2, y + size * 0.3];
  return (
    across >= box.left - MARGIN &&
    across <= box.right + MARGIN &&
    up >= box.bottom - MARGIN &&
    up <= box.top + MARGIN
  );
}

function areaOf({ left, right, top, bottom }: RegionBox): number {
  return (right - left) * (top - bottom);
}

/** Every text goes to the smallest region around it; what is in none comes last. */
export function fillRegions(
  regions: readonly PageRegion[],
  texts: readonly PageText[],
): FilledRegion[] {
  const filled = regions.map((region): FilledRegion => ({ region, texts: [] }));
  const bySize = filled.toSorted(
    (one, other) => areaOf(one.region!.box) - areaOf(other.region!.box),
  );
  const rest: FilledRegion = { region: null, texts: [] };
  for (const text of texts) {
    const found = bySize.find(({ region }) => holds(region!.box, text)) ?? rest;
    found.texts.push(text);
  }
  return [...filled, rest].filter((one) => one.texts.length > 0);
}

/** A table by the places of its cells; null where it has but one, and the texts of no cell. */
export function tableOf({ region, texts }: FilledRegion): {
  readonly table: Extract<Block, { kind: 'table' }> | null;
  readonly rest: readonly PageText[];
} {
  if (region?.kind !== 'table') return { table: null, rest: texts };
  const left = new Set(texts);
  const rows = region.cells
    .map((row) =>
      row.map((box): PageText[] => {
        const inside = box === null ? [] : [...left].filter((text) => holds(box, text));
        for (const text of inside) left.delete(text);
        return inside;
      }),
    )
    .filter((row) => row.some((cell) => cell.length > 0));
  const columns = Math.max(0, ...rows.map(({ length }) => length));
  const used = Array.from({ length: columns }, (_, at) => at).filter((at) =>
    rows.some((row) => (row[at]?.length ?? 0) > 0),
  );
  if (used.length < 2) return { table: null, rest: texts };
  const cells = rows.map((row) => used.map((at): Cell => ({ runs: runsOfCell(row[at] ?? []) })));
  const header = region.hasHeader || isBoldAbove(cells);
  return { table: { kind: 'table', header, rows: cells }, rest: [...left] };
}

function runsOfCell(texts: readonly PageText[]): Cell['runs'] {
  const inOrder = texts.toSorted((one, other) =>
    Math.abs(one.y - other.y) < one.size * 0.4 ? one.x - other.x : other.y - one.y,
  );
  return runsOfTexts(inOrder);
}

/** Whether the first row is bold and the others are not. */
function isBoldAbove([first = [], ...rest]: readonly (readonly Cell[])[]): boolean {
  const isBold = ({ runs }: Cell): boolean => runs.every(({ bold }) => bold === true);
  const isFilled = ({ runs }: Cell): boolean => runs.length > 0;
  const below = rest.flat().filter(isFilled);
  return first.filter(isFilled).every(isBold) && below.length > 0 && !below.every(isBold);
}
