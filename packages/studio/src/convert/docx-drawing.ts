import type { ElementLedger, LossKind } from '../deck/losses.ts';
import { cleanText } from '../deck/text.ts';
import { chartOf } from './drawing-chart.ts';
import type { FlowPiece, PieceLoss } from './flow.ts';
import type { FoundImage } from './image.ts';
import { schemeOf } from './office-theme.ts';
import type { OfficePackage, Relation } from './package.ts';
import { imageIn } from './pptx-image.ts';
import { cropOf } from './pptx-picture.ts';
import { attributeOf, childAt, childrenOf, descendantsOf, type XmlElement } from './xml.ts';

/** Where a drawing finds what it refers to. */
export interface DrawingParts {
  readonly office: OfficePackage;
  readonly relations: ReadonlyMap<string, Relation>;
  readonly main: string;
}

/** What is drawn in a paragraph, without what stands in boxes of text. */
export function drawingsIn(element: XmlElement): XmlElement[] {
  return childrenOf(element).flatMap((child) => {
    const name = child.localName ?? '';
    if (['drawing', 'pict', 'object'].includes(name)) return [child];
    // Of the ways in which something is written, the first is the one of today.
    if (name === 'AlternateContent') return drawingsIn(childAt(child, 'Choice') ?? child);
    return drawingsIn(child);
  });
}

/** Boxes of text in a drawing, each with its paragraphs. */
export function textBoxesIn(drawing: XmlElement): XmlElement[] {
  return descendantsOf(drawing, 'txbxContent');
}

const SHAPES = /^(?:wsp|cxnSp|shape|rect|oval|roundrect|line|polyline|group|wgp)$/;

/** What is in a drawing beside text: pictures, charts, and what no slide of a text can have. */
export function piecesOfDrawing(drawing: XmlElement, parts: DrawingParts): FlowPiece[] {
  const alt = cleanText(attributeOf(descendantsOf(drawing, 'docPr')[0] ?? null, 'descr') ?? '');
  const pictures = [
    ...descendantsOf(drawing, 'pic').map((one) => picture(one, alt, parts)),
    ...descendantsOf(drawing, 'imagedata').map((one) => oldPicture(one, drawing, parts)),
    ...descendantsOf(drawing, 'chart').map((one) => chart(one, alt, parts)),
  ];
  if (descendantsOf(drawing, 'relIds').length > 0) {
    pictures.push(lost('diagram', { code: 'SHAPE_DROPPED', what: 'a diagram is not kept' }, alt));
  }
  const hasOwn = pictures.length > 0 || textBoxesIn(drawing).length > 0;
  if (hasOwn || isRule(drawing)) return pictures;
  if (drawing.localName === 'object') {
    const what = 'an embedded object without a picture is not kept';
    return [lost('object', { code: 'OBJECT_DROPPED', what }, alt)];
  }
  const isShape = hasDescendant(drawing, SHAPES);
  const what = isShape ? 'a shape in the text is not kept' : 'a kind of object that is not known';
  return [lost('shape', { code: 'SHAPE_DROPPED', what }, alt)];
}

function hasDescendant(element: XmlElement, names: RegExp): boolean {
  return childrenOf(element).some(
    (child) => names.test(child.localName ?? '') || hasDescendant(child, names),
  );
}

/** A line across the page parts what is above it from what is below, as slides do. */
function isRule(drawing: XmlElement): boolean {
  return childrenOf(drawing).some((one) => attributeOf(one, 'hr') === 't');
}

function lost(of: LossKind, loss: PieceLoss, text: string): FlowPiece {
  return { kind: 'lost', of, losses: [{ ...loss, text }] };
}

function picture(element: XmlElement, alt: string, parts: DrawingParts): FlowPiece {
  const fill = childAt(element, 'blipFill');
  const image = imageIn(fill, parts);
  if (!('sha256' in image)) return lost('image', image, alt);
  const crop = cropOf(childAt(fill, 'srcRect'));
  return { kind: 'image', image, alt, ...(crop === null ? {} : { crop }) };
}

/** A picture as it was written before 2007, or the picture of an embedded object. */
function oldPicture(
  data: XmlElement,
  drawing: XmlElement,
  { office, relations }: DrawingParts,
): FlowPiece {
  const relation = relations.get(attributeOf(data, 'id') ?? '');
  const alt = cleanText(attributeOf(data, 'title') ?? '');
  const isObject = drawing.localName === 'object';
  if (relation === undefined || relation.isExternal || !office.has(relation.target)) {
    const code = relation?.isExternal === true ? 'IMAGE_EXTERNAL_DROPPED' : 'IMAGE_MISSING';
    return lost('image', { code, what: 'a picture is not in the file, and none is fetched' }, alt);
  }
  const image: FoundImage | null = office.image(relation.target);
  if (image === null) {
    const format = /\.(\w{1,8})$/.exec(relation.target)?.[1] ?? 'unknown';
    const what = `a picture in the format ${format} is not kept`;
    return lost(isObject ? 'object' : 'image', { code: 'IMAGE_FORMAT_DROPPED', what }, alt);
  }
  const what = 'an embedded object is kept as its picture';
  const losses: PieceLoss[] = isObject ? [{ code: 'OBJECT_AS_PICTURE', what, text: alt }] : [];
  return { kind: 'image', image, alt, losses };
}

function chart(element: XmlElement, alt: string, parts: DrawingParts): FlowPiece {
  const { office, relations, main } = parts;
  const target = relations.get(element.getAttribute('r:id') ?? '')?.target;
  const losses: PieceLoss[] = [];
  const lose: ElementLedger['lose'] = (code, what, text) => losses.push({ code, what, text });
  const theme = office.related(main, 'theme');
  const scheme = schemeOf(theme === null ? null : office.sharedXml(theme), null);
  const data =
    target === undefined || !office.has(target)
      ? null
      : chartOf(office.xml(target), { scheme, ledger: { lose, drop: lose } });
  if (data !== null) return { kind: 'chart', chart: data, losses };
  const what = 'a chart of a kind that a deck does not know is not kept';
  return lost('chart', { code: 'CHART_DROPPED', what }, alt);
}
