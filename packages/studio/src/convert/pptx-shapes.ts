import type { Box, Group, Origin, Paragraph } from '../deck/deck.ts';
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
  /** How the groups around are turned, from the inside out. */
  readonly turns: readonly GroupTurn[];
  readonly group: string | null;
}

/** How a group turns what is in it, about its own middle. */
interface GroupTurn extends Turned {
  readonly x: number;
  readonly y: number;
}

/** How something is turned and mirrored. */
interface Turned {
  readonly rotation: number;
  readonly isFlippedX: boolean;
  readonly isFlippedY: boolean;
}

export const WHOLE_SLIDE: Frame = {
  x: 0,
  y: 0,
  scaleX: 1 / EMU_PER_POINT,
  scaleY: 1 / EMU_PER_POINT,
  turns: [],
  group: null,
};

/** A slide with what it takes its places and styles from. */
export interface SlideParts {
  readonly office: OfficePackage;
  readonly part: string;
  readonly relations: ReadonlyMap<string, Relation>;
  readonly scheme: Scheme;
  readonly layout: XmlElement | null;
  readonly master: XmlElement | null;
  readonly theme: XmlElement | null;
}

/** A leaf of the tree of shapes. */
export interface Shape {
  readonly element: XmlElement;
  readonly box: Box | null;
  readonly rotation: number;
  readonly flip: 'horizontal' | 'vertical' | 'both' | null;
  readonly group: string | null;
  /** Whether it is what a program without the newer kind shows. */
  readonly isFallback: boolean;
  readonly placeholder: Placeholder | null;
  readonly name: string;
  readonly alt: string;
  readonly origin: Origin;
}

export interface Placeholder {
  readonly type: string;
  readonly index: string;
}

const LEAVES: ReadonlySet<string> = new Set(['sp', 'pic', 'graphicFrame', 'cxnSp', 'contentPart']);
const SHAPES_MAX = 5_000;

/** All shapes of a slide in their order, and the groups that they are in. */
export interface ShapeTree {
  readonly shapes: readonly Shape[];
  readonly groups: readonly Group[];
}

/** Walks a tree of shapes; ids of groups begin with a name that is unique on the slide. */
export function shapesOf(
  tree: XmlElement | null,
  parts: SlideParts,
  { prefix = 'g', frame = WHOLE_SLIDE }: { prefix?: string; frame?: Frame } = {},
): ShapeTree {
  const shapes: Shape[] = [];
  const groups: Group[] = [];
  const walk = (parent: XmlElement | null, at: Frame, isFallback: boolean): void => {
    for (const element of childrenOf(parent)) {
      if (shapes.length >= SHAPES_MAX) return;
      const name = element.localName ?? '';
      if (LEAVES.has(name)) shapes.push({ ...shapeOf(element, at, parts), isFallback });
      else if (name === 'grpSp') {
        const id = `${prefix}${groups.length + 1}`;
        groups.push(groupOf(element, at, id));
        walk(element, inside(element, at, id), isFallback);
      } else if (name === 'AlternateContent') {
        const choice = childrenOf(element, 'Choice').find(isKnownChoice);
        walk(choice ?? childAt(element, 'Fallback'), at, choice === undefined);
      }
    }
  };
  walk(tree, frame, false);
  return { shapes, groups };
}

/** What newer programs wrote that we read as they meant it. */
function isKnownChoice(choice: XmlElement): boolean {
  const needs = (attributeOf(choice, 'Requires') ?? '').split(' ');
  return needs.every((one) => ['a14', 'p14', 'a16', 'wps', 'wpg'].includes(one));
}

function groupOf(element: XmlElement, frame: Frame, id: string): Group {
  const transform = childAt(element, 'grpSpPr', 'xfrm');
  const box = boxOf(transform, frame);
  const name = attributeOf(childAt(element, 'nvGrpSpPr', 'cNvPr'), 'name') ?? '';
  return {
    id,
    ...(frame.group === null ? {} : { parent: frame.group }),
    ...(box === null ? {} : { box: turnedBox(box, NOT_TURNED, frame).box }),
    ...(name === '' ? {} : { name: name.slice(0, 512) }),
  };
}

const NOT_TURNED: Turned = { rotation: 0, isFlippedX: false, isFlippedY: false };

function turnOf(transform: XmlElement | null): Turned {
  const isOn = (name: string): boolean =>
    ['1', 'true'].includes(attributeOf(transform, name) ?? '');
  return {
    rotation: numberOf(transform, 'rot', 0) / 60_000,
    isFlippedX: isOn('flipH'),
    isFlippedY: isOn('flipV'),
  };
}

function inside(group: XmlElement, frame: Frame, id: string): Frame {
  const transform = childAt(group, 'grpSpPr', 'xfrm');
  const [offset, extent] = [childAt(transform, 'off'), childAt(transform, 'ext')];
  const [from, size] = [childAt(transform, 'chOff'), childAt(transform, 'chExt')];
  if (offset === null || from === null) return { ...frame, group: id };
  const ratio = (name: string): number =>
    numberOf(extent, name, 1) / (numberOf(size, name, 1) || 1);
  const [scaleX, scaleY] = [frame.scaleX * (ratio('cx') || 1), frame.scaleY * (ratio('cy') || 1)];
  const box = boxOf(transform, frame);
  const middle = box === null ? null : { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  return {
    x: frame.x + numberOf(offset, 'x', 0) * frame.scaleX - numberOf(from, 'x', 0) * scaleX,
    y: frame.y + numberOf(offset, 'y', 0) * frame.scaleY - numberOf(from, 'y', 0) * scaleY,
    scaleX,
    scaleY,
    turns: middle === null ? frame.turns : [{ ...middle, ...turnOf(transform) }, ...frame.turns],
    group: id,
  };
}

/** A box as the groups around it turn it. */
function turnedBox(box: Box, own: Turned, { turns }: Frame): { box: Box } & Turned {
  let { rotation, isFlippedX, isFlippedY } = own;
  let [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  for (const turn of turns) {
    if (turn.isFlippedX) {
      x = 2 * turn.x - x;
      isFlippedX = !isFlippedX;
      rotation = -rotation;
    }
    if (turn.isFlippedY) {
      y = 2 * turn.y - y;
      isFlippedY = !isFlippedY;
      rotation = -rotation;
    }
    const angle = (turn.rotation * Math.PI) / 180;
    const [alongX, alongY] = [x - turn.x, y - turn.y];
    x = turn.x + alongX * Math.cos(angle) - alongY * Math.sin(angle);
    y = turn.y + alongX * Math.sin(angle) + alongY * Math.cos(angle);
    rotation += turn.rotation;
  }
  const placed = { ...box, x: rounded(x - box.width / 2), y: rounded(y - box.height / 2) };
  return { box: turns.length === 0 ? box : placed, rotation, isFlippedX, isFlippedY };
}

function shapeOf(element: XmlElement, frame: Frame, parts: SlideParts): Omit<Shape, 'isFallback'> {
  const head = childrenOf(element).find(({ localName }) => /^nv\w+Pr$/.test(localName ?? ''));
  const facts = childAt(head ?? null, 'cNvPr');
  const found = childAt(head ?? null, 'nvPr', 'ph');
  const placeholder =
    found === null
      ? null
      : { type: attributeOf(found, 'type') ?? 'obj', index: attributeOf(found, 'idx') ?? '' };
  const transform = childAt(element, 'spPr', 'xfrm') ?? childAt(element, 'xfrm');
  const own = boxOf(transform, frame);
  const box = own ?? (placeholder === null ? null : inheritedBox(placeholder, parts));
  const turned = box === null ? null : turnedBox(box, turnOf(transform), frame);
  const rotation = rounded((((turned?.rotation ?? 0) % 360) + 360) % 360);
  const id = attributeOf(facts, 'id')?.slice(0, 64);
  return {
    element,
    placeholder,
    box: turned?.box ?? null,
    rotation: rotation === 360 ? 0 : rotation,
    flip: flipOf(turned ?? NOT_TURNED),
    group: frame.group,
    name: attributeOf(facts, 'name') ?? '',
    alt: attributeOf(facts, 'descr') ?? '',
    origin: { part: parts.part, ...(id === undefined ? {} : { shape: id }) },
  };
}

function flipOf({ isFlippedX, isFlippedY }: Turned): Shape['flip'] {
  if (isFlippedX && isFlippedY) return 'both';
  return isFlippedX ? 'horizontal' : isFlippedY ? 'vertical' : null;
}

const LIMIT = 10_000;
const bounded = (value: number): number => Math.min(LIMIT, Math.max(-LIMIT, value));
const rounded = (value: number): number => Math.round(bounded(value) * 100) / 100;

function boxOf(transform: XmlElement | null, frame: Frame): Box | null {
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
    const box = boxOf(childAt(ancestor, 'spPr', 'xfrm'), WHOLE_SLIDE);
    if (box !== null) return box;
  }
  return null;
}

/** Whether any of some paragraphs has a letter. */
export function hasText(paragraphs: readonly Paragraph[]): boolean {
  return paragraphs.some(({ runs }) => runs.some(({ text }) => text.trim() !== ''));
}
