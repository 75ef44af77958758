import type { Box, Origin, Paragraph } from '../deck/deck.ts';
import type { Scheme } from './office-theme.ts';
import type { OfficePackage, Relation } from './package.ts';
import { attributeOf, childAt, childrenOf, numberOf, type XmlElement } from './xml.ts';

const EMU_PER_POINT = 12_700;

/** From the numbers of a group's inside to points of the slide. */
export interface Frame {
  readonly x: number;
  readonly y: number;
  readonly scaleX: number;
  readonly scaleY: number;
}

export const WHOLE_SLIDE: Frame = {
  x: 0,
  y: 0,
  scaleX: 1 / EMU_PER_POINT,
  scaleY: 1 / EMU_PER_POINT,
};

/** A slide with what it takes its places and styles from. */
export interface SlideParts {
  readonly office: OfficePackage;
  readonly part: string;
  readonly relations: ReadonlyMap<string, Relation>;
  readonly scheme: Scheme;
  readonly layout: XmlElement | null;
  readonly master: XmlElement | null;
}

/** A leaf of the tree of shapes. */
export interface Shape {
  readonly element: XmlElement;
  readonly box: Box | null;
  readonly placeholder: Placeholder | null;
  readonly name: string;
  readonly alt: string;
  readonly origin: Origin;
}

export interface Placeholder {
  readonly type: string;
  readonly index: string;
}

const LEAVES: ReadonlySet<string> = new Set(['sp', 'pic', 'graphicFrame']);
const SHAPES_MAX = 5_000;

/** All shapes of a slide in their order, out of their groups. */
export function shapesOf(tree: XmlElement | null, parts: SlideParts): Shape[] {
  const shapes: Shape[] = [];
  const walk = (parent: XmlElement | null, frame: Frame): void => {
    for (const element of childrenOf(parent)) {
      if (shapes.length >= SHAPES_MAX) return;
      const name = element.localName ?? '';
      if (LEAVES.has(name)) shapes.push(shapeOf(element, frame, parts));
      else if (name === 'grpSp') walk(element, inside(element, frame));
      else if (name === 'AlternateContent') {
        walk(childAt(element, 'Fallback') ?? childAt(element, 'Choice'), frame);
      }
    }
  };
  walk(tree, WHOLE_SLIDE);
  return shapes;
}

function inside(group: XmlElement, frame: Frame): Frame {
  const transform = childAt(group, 'grpSpPr', 'xfrm');
  const [offset, extent] = [childAt(transform, 'off'), childAt(transform, 'ext')];
  const [from, size] = [childAt(transform, 'chOff'), childAt(transform, 'chExt')];
  if (offset === null || from === null) return frame;
  const ratio = (name: string): number =>
    numberOf(extent, name, 1) / (numberOf(size, name, 1) || 1);
  const [scaleX, scaleY] = [frame.scaleX * (ratio('cx') || 1), frame.scaleY * (ratio('cy') || 1)];
  return {
    x: frame.x + numberOf(offset, 'x', 0) * frame.scaleX - numberOf(from, 'x', 0) * scaleX,
    y: frame.y + numberOf(offset, 'y', 0) * frame.scaleY - numberOf(from, 'y', 0) * scaleY,
    scaleX,
    scaleY,
  };
}

function shapeOf(element: XmlElement, frame: Frame, parts: SlideParts): Shape {
  const head = childrenOf(element).find(({ localName }) => /^nv\w+Pr$/.test(localName ?? ''));
  const facts = childAt(head ?? null, 'cNvPr');
  const found = childAt(head ?? null, 'nvPr', 'ph');
  const placeholder =
    found === null
      ? null
      : { type: attributeOf(found, 'type') ?? 'obj', index: attributeOf(found, 'idx') ?? '' };
  const own = boxOf(element, frame);
  const id = attributeOf(facts, 'id')?.slice(0, 64);
  return {
    element,
    placeholder,
    box: own ?? (placeholder === null ? null : inheritedBox(placeholder, parts)),
    name: attributeOf(facts, 'name') ?? '',
    alt: attributeOf(facts, 'descr') ?? '',
    origin: { part: parts.part, ...(id === undefined ? {} : { shape: id }) },
  };
}

const LIMIT = 10_000;
const bounded = (value: number): number => Math.min(LIMIT, Math.max(-LIMIT, value));
const rounded = (value: number): number => Math.round(bounded(value) * 100) / 100;

function boxOf(element: XmlElement, frame: Frame): Box | null {
  const transform = childAt(element, 'spPr', 'xfrm') ?? childAt(element, 'xfrm');
  const [offset, extent] = [childAt(transform, 'off'), childAt(transform, 'ext')];
  if (offset === null || extent === null) return null;
  return {
    x: rounded(frame.x + numberOf(offset, 'x', 0) * frame.scaleX),
    y: rounded(frame.y + numberOf(offset, 'y', 0) * frame.scaleY),
    width: Math.max(0, rounded(numberOf(extent, 'cx', 0) * frame.scaleX)),
    height: Math.max(0, rounded(numberOf(extent, 'cy', 0) * frame.scaleY)),
  };
}

/** What a placeholder's type is called one step up. */
const MASTER_TYPES: Readonly<Record<string, string>> = {
  ctrTitle: 'title',
  subTitle: 'body',
  obj: 'body',
};

/** The shape of a layout or master that a placeholder stands for. */
export function ancestorOf(place: Placeholder, of: XmlElement | null): XmlElement | null {
  const shapes = childrenOf(childAt(of, 'cSld', 'spTree'), 'sp');
  const holders = shapes.map((shape) => ({ shape, ph: childAt(shape, 'nvSpPr', 'nvPr', 'ph') }));
  const byIndex = holders.find(
    ({ ph }) => ph !== null && place.index !== '' && attributeOf(ph, 'idx') === place.index,
  );
  const types = [place.type, MASTER_TYPES[place.type] ?? place.type];
  const byType = holders.find(
    ({ ph }) => ph !== null && types.includes(attributeOf(ph, 'type') ?? 'obj'),
  );
  return (byIndex ?? byType)?.shape ?? null;
}

function inheritedBox(place: Placeholder, { layout, master }: SlideParts): Box | null {
  for (const from of [layout, master]) {
    const ancestor = ancestorOf(place, from);
    const box = ancestor === null ? null : boxOf(ancestor, WHOLE_SLIDE);
    if (box !== null) return box;
  }
  return null;
}

/** Whether any of some paragraphs has a letter. */
export function hasText(paragraphs: readonly Paragraph[]): boolean {
  return paragraphs.some(({ runs }) => runs.some(({ text }) => text.trim() !== ''));
}
