import type { Block, ImageBlock } from '../deck/deck.ts';
import type { Crop } from '../deck/look.ts';
import type { ElementLedger } from '../deck/losses.ts';
import { cleanText } from '../deck/text.ts';
import { geometryOf } from './drawing-geometry.ts';
import { lookOf } from './drawing-look.ts';
import { imageIn } from './pptx-image.ts';
import { placeOf, type Reading } from './pptx-reading.ts';
import type { Shape } from './pptx-shapes.ts';
import { childAt, childrenOf, numberOf, type XmlElement } from './xml.ts';

const MEDIA = ['videoFile', 'audioFile', 'wavAudioFile', 'quickTimeFile'];

/** Changes of a picture that a deck does not know. */
const EFFECTS: ReadonlySet<string> = new Set([
  'duotone',
  'lum',
  'grayscl',
  'biLevel',
  'clrChange',
  'clrRepl',
  'hsl',
  'tint',
  'fillOverlay',
  'blur',
]);

/** Adds a picture with its crop and its outline. */
export function addPicture(shape: Shape, reading: Reading, role: Block['role']): void {
  const { element, origin, box, isFallback } = shape;
  const ledger = reading.ledger.element(isFallback ? 'object' : 'image', origin);
  const alt = cleanText(shape.alt).slice(0, 2_000);
  const fill = childAt(element, 'blipFill');
  const image = imageIn(fill, reading.parts);
  if (!('sha256' in image)) {
    ledger.drop(image.code, image.what, alt);
    return;
  }
  if (isFallback)
    ledger.lose('OBJECT_AS_PICTURE', 'a newer kind of object is kept as its picture', alt);
  const blip = childAt(fill, 'blip');
  noteChanges(element, blip, ledger);
  const { scheme, theme } = reading.parts;
  const properties = childAt(element, 'spPr');
  const { line, shadow } = lookOf([properties], childAt(element, 'style'), {
    scheme,
    theme,
    ledger,
  });
  const geometry = geometryOf(properties, box, ledger);
  const isPlain = geometry === null || ('preset' in geometry && geometry.preset === 'rect');
  const crop = cropOf(childAt(fill, 'srcRect'));
  const alpha = numberOf(childAt(blip, 'alphaModFix'), 'amt', 100_000) / 100_000;
  reading.images.push(image);
  reading.draft.blocks.push({
    kind: 'image',
    asset: image.sha256,
    ...(alt === '' ? {} : { alt }),
    ...(crop === null ? {} : { crop }),
    ...(isPlain ? {} : { geometry }),
    ...(line === null ? {} : { line }),
    ...(shadow === null ? {} : { shadow }),
    stretch: true,
    ...(alpha < 1 ? { opacity: Math.max(0, alpha) } : {}),
    ...placeOf(shape, role),
  } satisfies ImageBlock);
}

function noteChanges(element: XmlElement, blip: XmlElement | null, ledger: ElementLedger): void {
  const facts = childAt(element, 'nvPicPr', 'nvPr');
  if (MEDIA.some((name) => childAt(facts, name) !== null)) {
    ledger.lose('MEDIA_DROPPED', 'sound or video is not kept, its picture is');
  }
  const effects = childrenOf(blip).filter(({ localName }) => EFFECTS.has(localName ?? ''));
  const artistic = childrenOf(childAt(blip, 'extLst'), 'ext').some(
    (one) => childAt(one, 'imgProps') !== null,
  );
  if (effects.length > 0 || artistic) {
    ledger.lose('IMAGE_EFFECT_DROPPED', 'changes of colours and light of a picture are not kept');
  }
}

/** What is cut off of a picture, by the `srcRect` of its fill. */
export function cropOf(rectangle: XmlElement | null): Crop | null {
  const side = (name: string): number => {
    const share = numberOf(rectangle, name, 0) / 100_000;
    return Math.round(Math.min(1, Math.max(-10, share)) * 1e5) / 1e5;
  };
  const crop = { left: side('l'), top: side('t'), right: side('r'), bottom: side('b') };
  const isCut = Object.values(crop).some((one) => one !== 0);
  return isCut && crop.left + crop.right < 1 && crop.top + crop.bottom < 1 ? crop : null;
}
