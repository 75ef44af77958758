import type { LossCode } from '../deck/losses.ts';
import type { FoundImage } from './image.ts';
import type { SlideParts } from './pptx-shapes.ts';
import { attributeOf, childAt, type XmlElement } from './xml.ts';

/** Why a picture cannot be had. */
interface NoImage {
  readonly code: LossCode;
  readonly what: string;
}

/** The picture of a `blipFill`, or why there is none. */
export function imageIn(
  fill: XmlElement | null,
  { office, relations }: Pick<SlideParts, 'office' | 'relations'>,
): FoundImage | NoImage {
  const blip = childAt(fill, 'blip');
  const id = blip?.getAttribute('r:embed') ?? attributeOf(blip, 'embed');
  const linked = attributeOf(blip, 'link');
  const relation = relations.get(id || linked || '');
  if (relation?.isExternal === true || (id === null && linked !== null)) {
    return { code: 'IMAGE_EXTERNAL_DROPPED', what: 'a picture that lies elsewhere is not fetched' };
  }
  if (relation === undefined || !office.has(relation.target)) {
    return { code: 'IMAGE_MISSING', what: 'a picture is not in the file' };
  }
  const image = office.image(relation.target);
  if (image !== null) return image;
  const format = /\.(\w{1,8})$/.exec(relation.target)?.[1] ?? 'unknown';
  return { code: 'IMAGE_FORMAT_DROPPED', what: `a picture in the format ${format} is not kept` };
}
