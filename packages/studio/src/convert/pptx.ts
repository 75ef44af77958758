import { cleanText } from '../deck/text.ts';
import { WIDE_SIZE } from '../deck/theme.ts';
import { BOUNDS } from './bounds.ts';
import type { OpenSource } from './draft.ts';
import { themeOf } from './office-theme.ts';
import { openPackage, type OfficePackage, relationId } from './package.ts';
import { readSlide } from './pptx-slide.ts';
import { refuse } from './refusal.ts';
import { childAt, childrenOf, numberOf } from './xml.ts';

/** Opens a presentation of PowerPoint and its likes. */
export const openPptx: OpenSource = async (bytes, { name }) => {
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
  const masterPart = office.related(main, 'slideMaster');
  const themePart = office.related(masterPart ?? main, 'theme') ?? office.related(main, 'theme');
  const themeXml = themePart === null ? null : office.sharedXml(themePart);
  const map = masterPart === null ? null : childAt(office.sharedXml(masterPart), 'clrMap');
  const theme = themeOf(themeXml, map);
  const stylesPart = office.related(main, 'tableStyles');
  const size = childAt(presentation, 'sldSz');
  const points = (side: string, otherwise: number): number =>
    Math.min(4_032, Math.max(72, numberOf(size, side, otherwise * 12_700) / 12_700));
  const found = {
    title: titleOf(office) || (name ?? '').replace(/\.\w+$/, ''),
    size: { width: points('cx', WIDE_SIZE.width), height: points('cy', WIDE_SIZE.height) },
    theme,
    slides: slides.length,
    readBy: 'pawl',
  };
  return {
    found,
    slide: async (index) =>
      readSlide(office, {
        part: slides[index]!,
        number: index + 1,
        theme,
        size: found.size,
        defaults: childAt(presentation, 'defaultTextStyle'),
        tableStyles: stylesPart === null ? null : office.sharedXml(stylesPart),
      }),
    close: async () => undefined,
  };
};

function titleOf(office: OfficePackage): string {
  const part = office.related('', 'core-properties');
  if (part === null) return '';
  return cleanText(childAt(office.xml(part), 'title')?.textContent ?? '').slice(0, 1_000);
}
