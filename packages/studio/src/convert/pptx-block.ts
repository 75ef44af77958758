// A shape of a slide as a block of a deck, or as its title.
import type { Block, Paragraph, Run, ShapeBlock, TitleFrame } from '../deck/deck.ts';
import type { ElementLedger, LossKind } from '../deck/losses.ts';
import { cleanText } from '../deck/text.ts';
import { colourIn } from './drawing-colour.ts';
import { geometryOf } from './drawing-geometry.ts';
import { fillElement, lookOf, type ShapeLook } from './drawing-look.ts';
import { paragraphsOf, type TextContext } from './drawing-text.ts';
import { addFrame } from './pptx-frame.ts';
import { imageIn } from './pptx-image.ts';
import { addPicture } from './pptx-picture.ts';
import { placeOf, type Reading } from './pptx-reading.ts';
import { ancestorOf, hasText, type Shape, type SlideParts } from './pptx-shapes.ts';
import { frameOf, scaleOf, type TextFrameLook } from './pptx-text-frame.ts';
import { attributeOf, childAt, descendantsOf, numberOf, type XmlElement } from './xml.ts';

const ROLES: Readonly<Record<string, NonNullable<Block['role']>>> = {
  dt: 'date',
  ftr: 'footer',
  sldNum: 'number',
  hdr: 'footer',
};

/** Adds a shape of the tree to the slide. */
export function addShape(shape: Shape, reading: Reading, role?: Block['role']): void {
  const { element, placeholder } = shape;
  const own = role ?? ROLES[placeholder?.type ?? ''];
  switch (element.localName) {
    case 'pic':
      addPicture(shape, reading, own);
      return;
    case 'graphicFrame':
      addFrame(shape, reading, { role: own, addShape });
      return;
    case 'contentPart':
      reading.ledger
        .element('object', shape.origin)
        .drop('SHAPE_DROPPED', 'handwriting without a picture is not kept');
      return;
    case 'cxnSp':
      addConnector(shape, reading, own);
      return;
    default:
      if (placeholder?.type !== 'sldImg') addText(shape, reading, own);
  }
}

/** The properties of a shape, and of those that it stands for. */
function inherited(
  { element, placeholder }: Shape,
  { layout, master }: SlideParts,
): (XmlElement | null)[] {
  if (placeholder === null) return [element];
  return [element, ancestorOf(placeholder, layout), ancestorOf(placeholder, master)];
}

function addConnector(shape: Shape, reading: Reading, role: Block['role']): void {
  const { element, origin, box } = shape;
  const ledger = reading.ledger.element('connector', origin);
  const { fill: _, line, shadow } = lookIn(shape, reading, ledger);
  const geometry = geometryOf(childAt(element, 'spPr'), box, ledger) ?? { preset: 'line' };
  const joint = (name: string) => {
    const found = childAt(element, 'nvCxnSpPr', 'cNvCxnSpPr', name);
    const id = attributeOf(found, 'id') ?? '';
    if (!/^[\w.-]{1,64}$/.test(id)) return undefined;
    return { shape: id, site: Math.min(1_000, Math.max(0, Math.trunc(numberOf(found, 'idx', 0)))) };
  };
  const [from, to] = [joint('stCxn'), joint('endCxn')];
  if (line === null) return;
  reading.draft.blocks.push({
    kind: 'connector',
    geometry,
    line,
    ...(shadow === null ? {} : { shadow }),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...placeOf(shape, role),
  });
}

function lookIn(shape: Shape, { parts }: Reading, ledger: ElementLedger): ShapeLook {
  const chain = inherited(shape, parts).map((one) => childAt(one, 'spPr'));
  const { scheme, theme } = parts;
  return lookOf(chain, childAt(shape.element, 'style'), { scheme, theme, ledger });
}

function kindOf(shape: Shape, isDrawn: boolean): LossKind {
  if (isTitle(shape)) return 'title';
  return isDrawn ? 'shape' : 'text';
}

function isTitle({ placeholder }: Shape): boolean {
  return placeholder?.type === 'title' || placeholder?.type === 'ctrTitle';
}

function isSubtitle({ placeholder, name }: Shape): boolean {
  return placeholder?.type === 'subTitle' || (placeholder === null && name === 'subtitle');
}

function joined(paragraphs: readonly Paragraph[]): Run[] {
  return paragraphs.flatMap(({ runs }, index) => (index > 0 ? [{ text: '\n' }, ...runs] : runs));
}

function addText(shape: Shape, reading: Reading, role: Block['role']): void {
  const { element, placeholder, origin } = shape;
  const isSilent = descendantsOf(childAt(element, 'txBody'), 't').every(
    (one) => (one.textContent ?? '').trim() === '',
  );
  const properties = childAt(element, 'spPr');
  const isBare = fillElement(properties) === null && childAt(properties, 'ln') === null;
  // A placeholder that nobody filled is only seen while editing.
  if (placeholder !== null && isSilent && isBare) return;
  const isDrawn = childAt(element, 'style') !== null || !isBare;
  const ledger = reading.ledger.element(kindOf(shape, isDrawn), origin);
  const look = lookIn(shape, reading, ledger);
  const chain = inherited(shape, reading.parts);
  const bodies = chain.map((one) => childAt(one, 'txBody', 'bodyPr'));
  const frame = frameOf(bodies, ledger);
  const paragraphs = isSilent
    ? []
    : paragraphsOf(childAt(element, 'txBody'), textContext(shape, reading, { ledger, bodies }));
  const filled = hasText(paragraphs) ? paragraphs : [];
  const ground = groundOf(shape, reading, { look, ledger, role });
  const { draft } = reading;
  if (isTitle(shape) && draft.title === undefined && filled.length > 0) {
    if (ground !== null) draft.blocks.push(ground);
    draft.title = joined(filled);
    if (shape.box !== null) draft.titleBox = shape.box;
    draft.titleFrame = titleFrame(shape, filled, frame);
    if (draft.blocks.length > 0) draft.titleAbove = draft.blocks.length;
  } else if (isSubtitle(shape) && draft.subtitle === undefined && filled.length > 0) {
    if (ground !== null) draft.blocks.push(ground);
    draft.subtitle = joined(filled);
    if (shape.box !== null) draft.subtitleBox = shape.box;
    draft.subtitleFrame = titleFrame(shape, filled, frame);
  } else if (ground !== null) {
    draft.blocks.push(filled.length === 0 ? ground : { ...ground, paragraphs: filled, ...frame });
  } else if (filled.length > 0) {
    draft.blocks.push({ kind: 'text', paragraphs: filled, ...frame, ...placeOf(shape, role) });
  }
}

function titleFrame(shape: Shape, [first]: readonly Paragraph[], frame: TextFrameLook): TitleFrame {
  return {
    ...frame,
    ...(first?.align === undefined ? {} : { align: first.align }),
    ...(shape.rotation === 0 ? {} : { rotation: shape.rotation }),
  };
}

/** What is drawn behind the text of a shape; null where there is nothing to see. */
function groundOf(
  shape: Shape,
  reading: Reading,
  { look, ledger, role }: { look: ShapeLook; ledger: ElementLedger; role: Block['role'] },
): ShapeBlock | null {
  const { element, box, origin } = shape;
  const chain = inherited(shape, reading.parts).map((one) => childAt(one, 'spPr'));
  const geometry = chain.reduce<ShapeBlock['geometry'] | null>(
    (found, one) => found ?? geometryOf(one, box, ledger),
    null,
  );
  const picture = childAt(childAt(element, 'spPr'), 'blipFill');
  const isFilled =
    picture !== null && addFilling(shape, reading, { picture, ledger, geometry, role });
  const { fill, line, shadow } = look;
  const isOther = geometry !== null && !('preset' in geometry && geometry.preset === 'rect');
  if (fill === null && line === null && (isFilled || !isOther || !hasTextIn(element))) return null;
  const alt = cleanText(shape.alt).slice(0, 2_000);
  const id = origin.shape;
  return {
    kind: 'shape',
    ...(id !== undefined && /^[\w.-]{1,64}$/.test(id) ? { id } : {}),
    geometry: geometry ?? { preset: 'rect' },
    ...(fill === null ? {} : { fill }),
    ...(line === null ? {} : { line }),
    ...(shadow === null ? {} : { shadow }),
    ...(alt === '' ? {} : { alt }),
    ...placeOf(shape, role),
  };
}

function hasTextIn(element: XmlElement): boolean {
  return descendantsOf(childAt(element, 'txBody'), 't').some((one) => one.textContent !== '');
}

/** A shape that is filled with a picture: the picture lies below it, cut to its outline. */
function addFilling(
  shape: Shape,
  { draft, images, parts }: Reading,
  of: {
    picture: XmlElement;
    ledger: ElementLedger;
    geometry: ShapeBlock['geometry'] | null;
    role: Block['role'];
  },
): boolean {
  const image = imageIn(of.picture, parts);
  if (!('sha256' in image)) {
    of.ledger.lose(image.code, image.what);
    return false;
  }
  images.push(image);
  draft.blocks.push({
    kind: 'image',
    asset: image.sha256,
    stretch: true,
    ...(of.geometry === null ? {} : { geometry: of.geometry }),
    ...placeOf(shape, of.role),
  });
  return true;
}

/** What text of a shape is read with: everything that it inherits. */
function textContext(
  shape: Shape,
  reading: Reading,
  { ledger, bodies }: { ledger: ElementLedger; bodies: readonly (XmlElement | null)[] },
): TextContext {
  const { placeholder, element } = shape;
  const { parts, options } = reading;
  const { scheme, relations, layout, master } = parts;
  const isHeading = /title/i.test(placeholder?.type ?? '');
  const above =
    placeholder === null
      ? []
      : [layout, master].map((from) =>
          childAt(ancestorOf(placeholder, from), 'txBody', 'lstStyle'),
        );
  const isBody = placeholder !== null && ROLES[placeholder.type] === undefined;
  const style =
    isHeading && placeholder?.type !== 'subTitle'
      ? 'titleStyle'
      : isBody
        ? 'bodyStyle'
        : 'otherStyle';
  const styles = childAt(master, 'txStyles', style);
  const last = placeholder === null ? [options.defaults, styles] : [styles, options.defaults];
  const reference = colourIn(childAt(element, 'style', 'fontRef'), scheme);
  return {
    scheme,
    relations,
    listStyles: [...above, ...last],
    ledger,
    exact: {
      fonts: options.theme.fonts,
      isHeading: isHeading && placeholder?.type !== 'subTitle',
      colour: reference,
      usualColour: reading.usualColour,
      ...scaleOf(bodies),
    },
  };
}
