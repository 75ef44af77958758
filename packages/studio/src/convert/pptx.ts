import type { Block, Cell, Paragraph, Run, Slide, TableBlock } from '../deck/deck.ts';
import { cleanText } from '../deck/text.ts';
import { WIDE_SIZE } from '../deck/theme.ts';
import { BOUNDS } from './bounds.ts';
import type { Draft, FoundSlide, OpenSource } from './draft.ts';
import { chartOf } from './drawing-chart.ts';
import { paragraphsOf, type TextContext } from './drawing-text.ts';
import { type FoundImage, imageOf } from './image.ts';
import { fillColour, schemeOf, themeOf } from './office-theme.ts';
import { openPackage, type OfficePackage } from './package.ts';
import { ancestorOf, hasText, type Shape, shapesOf, type SlideParts } from './pptx-shapes.ts';
import { refuse } from './refusal.ts';
import { attributeOf, childAt, childrenOf, numberOf, type XmlElement } from './xml.ts';

/** Opens a presentation of PowerPoint and its likes. */
export const openPptx: OpenSource = async (bytes, name) => {
  const { office, main } = await openPackage(bytes);
  const presentation = office.xml(main);
  const relations = office.relationsOf(main);
  const slides = childrenOf(childAt(presentation, 'sldIdLst'), 'sldId').map((one, index) => {
    const target = relations.get(relationId(one))?.target;
    if (target !== undefined && office.has(target)) return target;
    throw refuse('CONVERT_CORRUPTED', `the slide ${index + 1} is missing`);
  });
  if (slides.length === 0) throw refuse('CONVERT_EMPTY', 'the presentation has no slides');
  if (slides.length > BOUNDS.slides) {
    throw refuse('CONVERT_TOO_LARGE', `the presentation has ${slides.length} slides`);
  }
  const themePart = office.related(main, 'theme');
  const theme = themePart === null ? null : office.sharedXml(themePart);
  const size = childAt(presentation, 'sldSz');
  const points = (side: string, otherwise: number): number =>
    Math.min(4_032, Math.max(72, numberOf(size, side, otherwise * 12_700) / 12_700));
  return {
    found: {
      title: titleOf(office) || (name ?? '').replace(/\.\w+$/, ''),
      size: { width: points('cx', WIDE_SIZE.width), height: points('cy', WIDE_SIZE.height) },
      theme: themeOf(theme),
      slides: slides.length,
    },
    slide: async (index) => readSlide(office, slides[index]!),
    close: async () => undefined,
  };
};

/** `r:id`, beside which there is a plain `id`. */
function relationId(element: XmlElement): string {
  return element.getAttribute('r:id') ?? attributeOf(element, 'id') ?? '';
}

function titleOf(office: OfficePackage): string {
  const part = office.related('', 'core-properties');
  if (part === null) return '';
  return cleanText(childAt(office.xml(part), 'title')?.textContent ?? '').slice(0, 1_000);
}

const LAYOUTS: Readonly<Record<string, Slide['layout']>> = {
  title: 'title',
  secHead: 'section',
  twoObj: 'columns',
  twoTxTwoObj: 'columns',
  blank: 'blank',
};

function readSlide(office: OfficePackage, part: string): FoundSlide {
  const root = office.xml(part);
  const layoutPart = office.related(part, 'slideLayout');
  const masterPart = layoutPart === null ? null : office.related(layoutPart, 'slideMaster');
  const themePart = masterPart === null ? null : office.related(masterPart, 'theme');
  const parts: SlideParts = {
    office,
    part,
    relations: office.relationsOf(part),
    scheme: schemeOf(themePart === null ? null : office.sharedXml(themePart)),
    layout: layoutPart === null ? null : office.sharedXml(layoutPart),
    master: masterPart === null ? null : office.sharedXml(masterPart),
  };
  const images: FoundImage[] = [];
  const draft: Draft = {
    layout: LAYOUTS[attributeOf(parts.layout, 'type') ?? ''] ?? 'content',
    blocks: [],
    origin: { part },
  };
  for (const shape of shapesOf(childAt(root, 'cSld', 'spTree'), parts)) {
    addShape(draft, shape, parts, images);
  }
  const background = childAt(root, 'cSld', 'bg', 'bgPr', 'solidFill');
  const colour = fillColour(background, parts.scheme);
  if (colour !== null) draft.background = colour;
  const notes = notesOf(office, part);
  if (hasText(notes)) draft.notes = notes;
  return { draft, images };
}

/** Of every page, and so of none. */
const FURNITURE: ReadonlySet<string> = new Set(['dt', 'ftr', 'sldNum', 'hdr', 'sldImg']);

function addShape(draft: Draft, shape: Shape, parts: SlideParts, images: FoundImage[]): void {
  const { element, placeholder, box, origin } = shape;
  if (placeholder !== null && FURNITURE.has(placeholder.type)) return;
  const placed = { origin, ...(box === null ? {} : { box }) };
  if (element.localName === 'pic') {
    const image = pictureOf(element, parts);
    if (image === null) return;
    images.push(image);
    const alt = cleanText(shape.alt).slice(0, 2_000);
    const described = alt === '' ? {} : { alt };
    draft.blocks.push({ kind: 'image', asset: image.sha256, ...described, ...placed });
    return;
  }
  if (element.localName === 'graphicFrame') {
    const block = graphicOf(element, parts);
    if (block !== null) draft.blocks.push({ ...block, ...placed });
    return;
  }
  const paragraphs = paragraphsOf(childAt(element, 'txBody'), textOf(shape, parts));
  if (!hasText(paragraphs)) return;
  const type = placeholder?.type ?? '';
  if ((type === 'title' || type === 'ctrTitle') && draft.title === undefined) {
    draft.title = joined(paragraphs);
    if (box !== null) draft.titleBox = box;
  } else if (isSubtitle(shape) && draft.subtitle === undefined) draft.subtitle = joined(paragraphs);
  else draft.blocks.push({ kind: 'text', paragraphs, ...placed });
}

function isSubtitle({ placeholder, name }: Shape): boolean {
  return placeholder?.type === 'subTitle' || (placeholder === null && name === 'subtitle');
}

function joined(paragraphs: readonly Paragraph[]): Run[] {
  return paragraphs.flatMap(({ runs }, index) => (index > 0 ? [{ text: '\n' }, ...runs] : runs));
}

function textOf({ placeholder }: Shape, parts: SlideParts): TextContext {
  const { scheme, relations, layout, master } = parts;
  if (placeholder === null) return { scheme, relations, listStyles: [] };
  const above = [layout, master].map((from) =>
    childAt(ancestorOf(placeholder, from), 'txBody', 'lstStyle'),
  );
  const isTitle = /title/i.test(placeholder.type);
  const styles = childAt(master, 'txStyles', isTitle ? 'titleStyle' : 'bodyStyle');
  return { scheme, relations, listStyles: [...above, styles] };
}

function pictureOf(element: XmlElement, { office, relations }: SlideParts): FoundImage | null {
  const blip = childAt(element, 'blipFill', 'blip');
  const id = blip?.getAttribute('r:embed') ?? attributeOf(blip, 'embed');
  const relation = id === null || id === undefined ? undefined : relations.get(id);
  if (relation === undefined || relation.isExternal || !office.has(relation.target)) return null;
  return imageOf(office.bytes(relation.target));
}

function graphicOf(element: XmlElement, parts: SlideParts): Block | null {
  const data = childAt(element, 'graphic', 'graphicData');
  const table = childAt(data, 'tbl');
  if (table !== null) return tableOf(table, parts);
  const chart = childAt(data, 'chart');
  const target = chart === null ? undefined : parts.relations.get(relationId(chart))?.target;
  if (target === undefined || !parts.office.has(target)) return null;
  return chartOf(parts.office.xml(target));
}

function tableOf(table: XmlElement, { scheme, relations }: SlideParts): TableBlock {
  const around = { scheme, relations, listStyles: [] };
  const rows = childrenOf(table, 'tr').map((row) =>
    childrenOf(row, 'tc')
      .filter((cell) => attributeOf(cell, 'hMerge') !== '1')
      .map((cell): Cell => {
        const columns = Math.min(BOUNDS.tableColumns, numberOf(cell, 'gridSpan', 1));
        const runs = joined(paragraphsOf(childAt(cell, 'txBody'), around));
        return { runs, ...(columns >= 2 ? { columns: Math.trunc(columns) } : {}) };
      }),
  );
  const isHeader = attributeOf(childAt(table, 'tblPr'), 'firstRow') === '1';
  return { kind: 'table', header: isHeader, rows };
}

function notesOf(office: OfficePackage, part: string): Paragraph[] {
  const notesPart = office.related(part, 'notesSlide');
  if (notesPart === null) return [];
  const tree = childAt(office.xml(notesPart), 'cSld', 'spTree');
  const relations = office.relationsOf(notesPart);
  return childrenOf(tree, 'sp')
    .filter((shape) => attributeOf(childAt(shape, 'nvSpPr', 'nvPr', 'ph'), 'type') === 'body')
    .flatMap((shape) =>
      paragraphsOf(childAt(shape, 'txBody'), { scheme: new Map(), relations, listStyles: [] }),
    );
}
