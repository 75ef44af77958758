import type { Fill } from '../deck/look.ts';
import { Ledger } from '../deck/losses.ts';
import type { Paragraph, Slide, Theme } from '../deck/deck.ts';
import { isDark } from '../deck/theme.ts';
import type { Draft, FoundSlide } from './draft.ts';
import { colourIn } from './drawing-colour.ts';
import { fillElement, fillOf, type LookContext } from './drawing-look.ts';
import { paragraphsOf } from './drawing-text.ts';
import { schemeOf } from './office-theme.ts';
import type { OfficePackage } from './package.ts';
import { addShape } from './pptx-block.ts';
import { imageIn } from './pptx-image.ts';
import type { Reading, SlideOptions } from './pptx-reading.ts';
import { hasText, shapesOf, type SlideParts } from './pptx-shapes.ts';
import { attributeOf, childAt, childrenOf, descendantsOf, type XmlElement } from './xml.ts';

const LAYOUTS: Readonly<Record<string, Slide['layout']>> = {
  title: 'title',
  secHead: 'section',
  twoObj: 'columns',
  twoTxTwoObj: 'columns',
  blank: 'blank',
};

function partsOf(office: OfficePackage, part: string): SlideParts {
  const layoutPart = office.related(part, 'slideLayout');
  const masterPart = layoutPart === null ? null : office.related(layoutPart, 'slideMaster');
  const themePart = masterPart === null ? null : office.related(masterPart, 'theme');
  const theme = themePart === null ? null : office.sharedXml(themePart);
  const master = masterPart === null ? null : office.sharedXml(masterPart);
  return {
    office,
    part,
    relations: office.relationsOf(part),
    scheme: schemeOf(theme, childAt(master, 'clrMap')),
    layout: layoutPart === null ? null : office.sharedXml(layoutPart),
    master,
    theme,
  };
}

/** Reads one slide, with the shapes and the background of its layout and master. */
export function readSlide(office: OfficePackage, options: SlideOptions): FoundSlide {
  const { part, number } = options;
  const root = office.xml(part);
  const parts = partsOf(office, part);
  const ledger = new Ledger(number);
  const draft: Draft = {
    layout: LAYOUTS[attributeOf(parts.layout, 'type') ?? ''] ?? 'content',
    blocks: [],
    ...(isOff(root, 'show') ? { hidden: true } : {}),
    isExact: true,
    origin: { part },
  };
  const reading: Reading = { draft, images: [], ledger, parts, options, usualColour: '' };
  addBackground(root, reading);
  reading.usualColour = usualColour(draft, options.theme);
  addDesign(root, reading);
  const { shapes, groups } = shapesOf(childAt(root, 'cSld', 'spTree'), parts);
  draft.groups = [...(draft.groups ?? []), ...groups];
  for (const shape of shapes) addShape(shape, reading);
  tidyGroups(draft);
  tidyJoints(draft);
  noteMoves(root, reading);
  const notes = notesOf(reading);
  if (hasText(notes)) draft.notes = notes;
  return { draft, images: reading.images, account: ledger.close() };
}

function isOff(element: XmlElement | null, name: string): boolean {
  return ['0', 'false'].includes(attributeOf(element, name) ?? '');
}

/** What text without a colour of its own is drawn in, where that can be relied on. */
function usualColour({ background }: Draft, { colours }: Theme): string {
  const paper = background ?? colours.background;
  return isDark(paper) === isDark(colours.text) ? '' : colours.text;
}

/** The background of the slide, or of what it is made from. */
function addBackground(root: XmlElement, reading: Reading): void {
  const { draft, parts, options, ledger } = reading;
  const places = [root, parts.layout, parts.master].map((from) => childAt(from, 'cSld', 'bg'));
  const found = places.find((one) => one !== null) ?? null;
  if (found === null) return;
  const owner = [parts.part, 'layout', 'master'][places.indexOf(found)]!;
  const element = ledger.element('background', { part: parts.part });
  const context: LookContext = { scheme: parts.scheme, theme: parts.theme, ledger: element };
  const own = fillElement(childAt(found, 'bgPr'));
  if (own?.localName === 'blipFill') {
    const image = imageIn(own, { ...parts, relations: relationsAt(parts, owner) });
    if (!('sha256' in image)) {
      element.drop(image.code, image.what);
      return;
    }
    reading.images.push(image);
    const box = { x: 0, y: 0, ...options.size };
    draft.blocks.push({ kind: 'image', asset: image.sha256, box, stretch: true, role: 'design' });
    return;
  }
  const fill = own === null ? referredFill(found, context) : fillOf(own, context);
  if (fill === null) return;
  if ('stops' in fill) {
    draft.background = fill.stops[0]!.colour;
    draft.backgroundFill = fill;
  } else draft.background = fill.colour;
}

/** A background that is one of the theme's styles. */
function referredFill(background: XmlElement, context: LookContext): Fill | null {
  const reference = childAt(background, 'bgRef');
  const index = Number(attributeOf(reference, 'idx') ?? 0);
  const list = childAt(context.theme, 'themeElements', 'fmtScheme', 'bgFillStyleLst');
  const style = index >= 1_001 ? (childrenOf(list)[index - 1_001] ?? null) : null;
  const solid = colourIn(reference, context.scheme);
  return style === null ? solid : fillOf(style, context, solid?.colour ?? null);
}

function relationsAt(parts: SlideParts, owner: string): SlideParts['relations'] {
  const { office, part } = parts;
  const layout = office.related(part, 'slideLayout');
  if (owner === 'layout' && layout !== null) return office.relationsOf(layout);
  const master = layout === null ? null : office.related(layout, 'slideMaster');
  return owner === 'master' && master !== null ? office.relationsOf(master) : parts.relations;
}

/** Shapes that the master and the layout show on each of their slides. */
function addDesign(root: XmlElement, reading: Reading): void {
  const { parts, draft } = reading;
  if (isOff(root, 'showMasterSp')) return;
  const isMasterShown = !isOff(parts.layout, 'showMasterSp');
  for (const owner of isMasterShown ? (['master', 'layout'] as const) : ['layout' as const]) {
    const tree = childAt(parts[owner], 'cSld', 'spTree');
    const own = { ...parts, relations: relationsAt(parts, owner) };
    const { shapes, groups } = shapesOf(tree, own, { prefix: `${owner}-` });
    draft.groups = [...(draft.groups ?? []), ...groups];
    for (const shape of shapes) {
      if (shape.placeholder === null) addShape(shape, { ...reading, parts: own }, 'design');
    }
  }
}

/** Groups that nothing is left in are none. */
function tidyGroups(draft: Draft): void {
  const groups = draft.groups ?? [];
  const used = new Set(draft.blocks.flatMap(({ group }) => group ?? []));
  for (const { id, parent } of groups.toReversed()) {
    if (used.has(id) && parent !== undefined) used.add(parent);
  }
  const kept = groups.filter(({ id }) => used.has(id));
  if (kept.length === 0) delete draft.groups;
  else draft.groups = kept;
}

/** Connectors name shapes that are there, and only shapes that are named need a name. */
function tidyJoints(draft: Draft): void {
  const ids = new Set(
    draft.blocks.flatMap((block) => (block.kind === 'shape' ? (block.id ?? []) : [])),
  );
  const named = new Set<string>();
  draft.blocks = draft.blocks.map((block) => {
    if (block.kind !== 'connector') return block;
    const { from, to, ...rest } = block;
    const kept = (joint: typeof from) =>
      joint !== undefined && ids.has(joint.shape) ? joint : undefined;
    const [start, end] = [kept(from), kept(to)];
    for (const joint of [start, end]) if (joint !== undefined) named.add(joint.shape);
    return {
      ...rest,
      ...(start === undefined ? {} : { from: start }),
      ...(end === undefined ? {} : { to: end }),
    };
  });
  draft.blocks = draft.blocks.map((block) => {
    if (block.kind !== 'shape' || block.id === undefined || named.has(block.id)) return block;
    const { id: _, ...rest } = block;
    return rest;
  });
}

const ANIMATIONS = ['anim', 'animEffect', 'animMotion', 'animRot', 'animScale', 'animClr'];

/** What moves, sounds, or was said beside the slide. */
function noteMoves(root: XmlElement, { ledger, parts }: Reading): void {
  const origin = { part: parts.part };
  const timing = childAt(root, 'timing');
  if (ANIMATIONS.some((name) => descendantsOf(timing, name).length > 0)) {
    ledger.element('animation', origin).drop('ANIMATION_DROPPED', 'the animations are not kept');
  }
  const isMoving =
    childAt(root, 'transition') !== null ||
    childrenOf(root, 'AlternateContent').some((one) => descendantsOf(one, 'transition').length > 0);
  if (isMoving) {
    ledger.element('transition', origin).drop('TRANSITION_DROPPED', 'the transition is not kept');
  }
  for (const { type, target } of parts.relations.values()) {
    if (!/^comments?$/.test(type) || !parts.office.has(target)) continue;
    const text = descendantsOf(parts.office.xml(target), 'text').map(
      (one) => one.textContent ?? '',
    );
    const what = 'comments of reviewers are not kept';
    ledger.element('comment', { part: target }).drop('COMMENT_DROPPED', what, text.join(' '));
  }
}

function notesOf({ parts, ledger }: Reading): Paragraph[] {
  const { office, part } = parts;
  const notesPart = office.related(part, 'notesSlide');
  if (notesPart === null) return [];
  const tree = childAt(office.xml(notesPart), 'cSld', 'spTree');
  const relations = office.relationsOf(notesPart);
  const bodies = childrenOf(tree, 'sp').filter(
    (shape) => attributeOf(childAt(shape, 'nvSpPr', 'nvPr', 'ph'), 'type') === 'body',
  );
  const isFilled = bodies.some((one) => descendantsOf(one, 't').some((text) => text.textContent));
  if (!isFilled) return [];
  const element = ledger.element('notes', { part: notesPart });
  const around = { scheme: new Map(), relations, listStyles: [], ledger: element, exact: null };
  return bodies.flatMap((shape) => paragraphsOf(childAt(shape, 'txBody'), around));
}
