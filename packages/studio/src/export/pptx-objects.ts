// Objects of a slide as an office file has them.
import type { Block, Box, Run, ShapeBlock, TitleFrame } from '../deck/deck.ts';
import type { ComposedBlock } from '../draw/compose.ts';
import type { TextColours, TextFrame } from '../draw/text-frame.ts';
import { fillXml, geometryXml, lineXml, placeXml, shadowXml } from './xml-look.ts';
import { element } from './xml.ts';
import { bodyXml, type LinkId, paragraphXml, type TextLook } from './xml-text.ts';

/** What objects of a slide are written with. */
export interface ObjectOptions {
  readonly id: number;
  readonly link: LinkId;
  readonly colours: TextColours;
}

export interface Heading {
  readonly runs: readonly Run[];
  readonly frame: TextFrame;
  readonly box: Box;
  readonly look: TitleFrame | undefined;
  readonly colour: string;
  readonly name: string;
}

export function headingXml(
  { runs, frame, box, look, colour, name }: Heading,
  { id, link }: Pick<ObjectOptions, 'id' | 'link'>,
  place: (written: string) => string,
): (written: string) => string {
  const { style } = frame;
  const text: TextLook = {
    size: () => Math.round(style.sizeOf(0) * 2) / 2,
    colour,
    bold: style.bold,
    link,
  };
  const anchors = { 0: 'top', 0.5: 'middle', 1: 'bottom' } as const;
  const align = look?.align === undefined ? {} : { align: look.align };
  const paragraph = paragraphXml({ level: 0, runs: [...runs], spacing: {}, ...align }, text);
  const body = bodyXml({ anchor: anchors[frame.anchor], ...look });
  const turned = placeXml(box, { rotation: look?.rotation });
  const words = element('p:txBody', {}, body, paragraph);
  const facts = element('p:cNvPr', { id, name });
  return (written) => {
    const held = element('p:nvPr', {}, place(written));
    const head = element('p:nvSpPr', {}, facts, '<p:cNvSpPr/>', held);
    return element('p:sp', {}, head, element('p:spPr', {}, turned), words);
  };
}

const ROLE_NAMES = {
  footer: 'Footer',
  date: 'Date',
  number: 'Slide Number',
  design: 'Design',
} as const;

export function shapeXml(
  { text, box }: ComposedBlock,
  block: Extract<Block, { kind: 'text' }> | ShapeBlock,
  { id, link, colours }: ObjectOptions,
): string {
  const { role, rotation, flip } = block;
  const isText = block.kind === 'text';
  const name =
    role === undefined ? `${isText ? 'Text' : 'Shape'} ${id}` : `${ROLE_NAMES[role]} ${id}`;
  const descr = isText ? undefined : block.alt;
  const looks = isText
    ? `${geometryXml({ preset: 'rect' }, box)}<a:noFill/>`
    : geometryXml(block.geometry, box) +
      fillXml(block.fill) +
      lineXml(block.line) +
      shadowXml(block.shadow);
  const look: TextLook = {
    size: (level) => Math.round((text?.style.sizeOf(level) ?? 18) * 2) / 2,
    colour: colours.text,
    bold: false,
    link,
  };
  const paragraphs = (block.paragraphs ?? []).map((one) => paragraphXml(one, look)).join('');
  const empty = '<a:p><a:endParaRPr lang="en-US"/></a:p>';
  const body = element('p:txBody', {}, bodyXml(block), paragraphs === '' ? empty : paragraphs);
  const place = placeXml(box, { rotation, flip });
  const facts = element('p:cNvPr', { id, name, descr });
  const kind = element('p:cNvSpPr', { txBox: isText ? 1 : null });
  const head = element('p:nvSpPr', {}, facts, kind, '<p:nvPr/>');
  return element('p:sp', {}, head, element('p:spPr', {}, place, looks), body);
}

export function connectorXml(
  block: Extract<Block, { kind: 'connector' }>,
  box: Box,
  { id, ids }: { readonly id: number; readonly ids: ReadonlyMap<string, number> },
): string {
  const joint = (tag: string, end: typeof block.from): string => {
    const shape = end === undefined ? undefined : ids.get(end.shape);
    return shape === undefined ? '' : element(tag, { id: shape, idx: end!.site });
  };
  const joints = joint('a:stCxn', block.from) + joint('a:endCxn', block.to);
  const looks = geometryXml(block.geometry, box) + lineXml(block.line) + shadowXml(block.shadow);
  const facts = element('p:cNvPr', { id, name: `Connector ${id}` });
  const joined = element('p:cNvCxnSpPr', {}, joints);
  const head = element('p:nvCxnSpPr', {}, facts, joined, '<p:nvPr/>');
  return element('p:cxnSp', {}, head, element('p:spPr', {}, placeXml(box, block), looks));
}

/** The picture that the library wrote, with its crop, its outline and how it is turned. */
export function pictureXml(
  block: Extract<Block, { kind: 'image' }>,
  box: Box,
): (written: string) => string {
  const { crop, geometry, line, shadow, opacity } = block;
  const share = (value: number): number => Math.round(value * 100_000);
  const sides =
    crop === undefined
      ? ''
      : element('a:srcRect', {
          l: share(crop.left),
          t: share(crop.top),
          r: share(crop.right),
          b: share(crop.bottom),
        });
  const looks =
    geometryXml(geometry ?? { preset: 'rect' }, box) +
    (line === undefined ? '' : lineXml(line)) +
    shadowXml(shadow);
  const properties = `<p:spPr>${placeXml(box, block)}${looks}</p:spPr>`;
  const faint =
    opacity === undefined ? '' : `<a:alphaModFix amt="${Math.round(opacity * 100_000)}"/>`;
  return (written) =>
    written
      .replace(/<p:spPr>.*<\/p:spPr>/s, () => properties)
      .replace(
        /<a:blip ([^>]*?)\/?>(?:.*?<\/a:blip>)?/s,
        (_, attributes: string) => `<a:blip ${attributes}>${faint}</a:blip>`,
      )
      .replace(/<a:srcRect[^>]*\/>/, '')
      .replace(/<a:stretch>/, () => `${sides}<a:stretch>`);
}
