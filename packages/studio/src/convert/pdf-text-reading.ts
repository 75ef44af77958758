import { cleanText } from '../deck/text.ts';
import { safeLink } from './drawing-text.ts';
import { placed, placeOn } from './pdf-drawing.ts';
import type { PdfPage } from './pdf-library.ts';
import { holds, type RegionBox } from './pdf-region.ts';
import type { PageText } from './pdf-text.ts';

/** A note or link that is pinned to a page. */
export interface Pinned {
  readonly subtype: string;
  readonly text: string;
  /** Null where it leads nowhere outside. */
  readonly link: string | null;
  readonly box: RegionBox | null;
}

export async function pinnedOn(page: PdfPage): Promise<Pinned[]> {
  const matrix = placeOn(page);
  return (await page.getAnnotations()).map((one) => {
    const { str = '' } = (one['contentsObj'] ?? {}) as { str?: string };
    const value = typeof one['fieldValue'] === 'string' ? one['fieldValue'] : '';
    const url = one['url'] ?? one['unsafeUrl'];
    const rectangle = one['rect'];
    return {
      subtype: String(one['subtype']),
      text: cleanText(str || value),
      link: typeof url === 'string' ? safeLink(url) : null,
      box: Array.isArray(rectangle) ? boxOf(matrix, rectangle as number[]) : null,
    };
  });
}

function boxOf(matrix: Parameters<typeof placed>[0], rectangle: readonly number[]): RegionBox {
  const [x1, y1] = placed(matrix, rectangle[0] ?? 0, rectangle[1] ?? 0);
  const [x2, y2] = placed(matrix, rectangle[2] ?? 0, rectangle[3] ?? 0);
  return {
    left: Math.min(x1, x2),
    right: Math.max(x1, x2),
    top: Math.max(y1, y2),
    bottom: Math.min(y1, y2),
  };
}

/** The texts of a page where they are shown, in the order in which they are drawn. */
export async function textsOf(page: PdfPage): Promise<PageText[]> {
  const { items } = await page.getTextContent({ includeMarkedContent: true });
  const matrix = placeOn(page);
  const texts: PageText[] = [];
  const marks: { id: string | null; isArtifact: boolean }[] = [];
  for (const item of items) {
    const isArtifact = item.tag === 'Artifact';
    if (item.type === 'beginMarkedContent') marks.push({ id: null, isArtifact });
    else if (item.type === 'beginMarkedContentProps') {
      marks.push({ id: item.id ?? null, isArtifact });
    } else if (item.type === 'endMarkedContent') marks.pop();
    else if (item.str !== undefined) {
      const [, , skew = 0, height = 0, x = 0, y = 0] = item.transform ?? [];
      const [across, up] = placed(matrix, x, y);
      texts.push({
        text: item.str,
        x: across,
        y: up,
        width: item.width ?? 0,
        size: Math.hypot(skew, height) || item.height || 1,
        font: fontOf(page, item.fontName ?? ''),
        endsLine: item.hasEOL ?? false,
        mark: marks.findLast(({ id }) => id !== null)?.id ?? null,
        isArtifact: marks.some((mark) => mark.isArtifact),
      });
    }
  }
  return texts;
}

function fontOf(page: PdfPage, id: string): string {
  if (id === '' || !page.commonObjs.has(id)) return '';
  return (page.commonObjs.get(id) as { name?: string } | null)?.name ?? '';
}

/** Texts with the links that lie on them, and the lines that are drawn below them. */
export function adorned(
  texts: readonly PageText[],
  pinned: readonly Pinned[],
  paths: readonly RegionBox[],
): { readonly texts: PageText[]; readonly paths: RegionBox[] } {
  const links = pinned.filter(({ subtype, link }) => subtype === 'Link' && link !== null);
  const used = new Set<RegionBox>();
  const dressed = texts.map((text): PageText => {
    if (text.text.trim() === '') return text;
    const link = links.find(({ box }) => box !== null && holds(box, text))?.link;
    const line = paths.find((path) => underlines(path, text));
    if (line !== undefined) used.add(line);
    return {
      ...text,
      ...(link === undefined || link === null ? {} : { link }),
      ...(line === undefined ? {} : { isUnderlined: true }),
    };
  });
  return { texts: dressed, paths: paths.filter((path) => !used.has(path)) };
}

function underlines(path: RegionBox, { x, y, width, size }: PageText): boolean {
  const isThin = path.top - path.bottom <= Math.max(1.5, size * 0.15);
  const isBelow = path.top <= y + size * 0.05 && path.bottom >= y - size * 0.35;
  const isAsWide = path.left <= x + width * 0.1 && path.right >= x + width * 0.9;
  return isThin && isBelow && isAsWide && path.right - path.left <= width * 1.5 + size;
}
