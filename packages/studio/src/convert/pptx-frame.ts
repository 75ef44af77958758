import type { Block } from '../deck/deck.ts';
import type { ElementLedger } from '../deck/losses.ts';
import { chartOf } from './drawing-chart.ts';
import { tableOf } from './drawing-table.ts';
import { descendantsOf, attributeOf, childAt, childrenOf, type XmlElement } from './xml.ts';
import { relationId } from './package.ts';
import { type AddShape, boxOr, placeOf, type Reading } from './pptx-reading.ts';
import { type Frame, type Shape, shapesOf } from './pptx-shapes.ts';

/** Adds what a frame shows: a table, a chart, a diagram, or an object of another program. */
export function addFrame(
  shape: Shape,
  reading: Reading,
  { role, addShape }: { role: Block['role']; addShape: AddShape },
): void {
  const data = childAt(shape.element, 'graphic', 'graphicData');
  const kind = (attributeOf(data, 'uri') ?? '').split('/').at(-1) ?? '';
  const table = childAt(data, 'tbl');
  if (table !== null) {
    const ledger = reading.ledger.element('table', shape.origin);
    reading.draft.blocks.push({
      ...tableOf(table, tableContext(reading, ledger)),
      ...placeOf(shape, role),
    });
  } else if (kind === 'chart' || kind === 'chartex') addChart(shape, reading, { data, role });
  else if (kind === 'diagram') addDiagram(shape, reading, { data, addShape });
  else addObject(shape, reading, { data, addShape });
}

function tableContext({ parts, options, usualColour }: Reading, ledger: ElementLedger) {
  const { scheme, theme, relations } = parts;
  const exact = {
    fonts: options.theme.fonts,
    isHeading: false,
    colour: null,
    usualColour,
    scale: 1,
    lineReduction: 0,
  };
  const text = { scheme, relations, listStyles: [options.defaults], ledger, exact };
  return { scheme, theme, ledger, text, styles: options.tableStyles };
}

function addChart(
  shape: Shape,
  { parts, draft, ledger: slide }: Reading,
  { data, role }: { data: XmlElement | null; role: Block['role'] },
): void {
  const ledger = slide.element('chart', shape.origin);
  const chart = childAt(data, 'chart');
  const target = chart === null ? undefined : parts.relations.get(relationId(chart))?.target;
  const isThere = target !== undefined && parts.office.has(target);
  const { scheme } = parts;
  const block = isThere ? chartOf(parts.office.xml(target), { scheme, ledger }) : null;
  if (block === null)
    ledger.drop('CHART_DROPPED', 'a chart of an unknown kind is not kept', shape.name);
  else draft.blocks.push({ ...block, ...placeOf(shape, role) });
}

interface Showing {
  readonly data: XmlElement | null;
  readonly addShape: AddShape;
}

/** A diagram comes with the shapes that it was last drawn with. */
function addDiagram(shape: Shape, reading: Reading, { data, addShape }: Showing): void {
  const { parts, ledger: slide, draft } = reading;
  const ledger = slide.element('diagram', shape.origin);
  const model = parts.relations.get(attributeOf(childAt(data, 'relIds'), 'dm') ?? '')?.target;
  const drawing = [...parts.relations.values()].find(
    ({ type, target }) => type === 'diagramDrawing' && sameNumber(target, model),
  )?.target;
  if (drawing === undefined || !parts.office.has(drawing)) {
    const text = model === undefined ? '' : wordsIn(reading, model);
    ledger.drop('SHAPE_DROPPED', 'a diagram without its drawing is not kept', text);
    return;
  }
  ledger.lose('SMARTART_AS_SHAPES', 'a diagram is kept as the shapes that it was drawn with');
  const { x, y } = boxOr(shape, reading);
  const frame: Frame = { x, y, scaleX: 1 / 12_700, scaleY: 1 / 12_700, turns: [], group: null };
  const tree = childAt(parts.office.xml(drawing), 'spTree');
  const inner = { ...parts, relations: parts.office.relationsOf(drawing) };
  const prefix = `d${(shape.origin.shape ?? '').replaceAll(/\W/g, '').slice(0, 32)}-`;
  const { shapes, groups } = shapesOf(tree, inner, { prefix, frame });
  const whole = { id: `${prefix}0`, box: boxOr(shape, reading) };
  draft.groups = [
    ...(draft.groups ?? []),
    whole,
    ...groups.map((one) => ({ parent: whole.id, ...one })),
  ];
  for (const one of shapes) {
    const grouped = { ...one, group: one.group ?? whole.id, origin: shape.origin };
    addShape(grouped, { ...reading, parts: inner });
  }
}

function sameNumber(target: string, model: string | undefined): boolean {
  const numberIn = (path: string): string => /(\d*)\.xml$/.exec(path)?.[1] ?? '';
  return model === undefined || numberIn(target) === numberIn(model);
}

function wordsIn({ parts }: Reading, part: string): string {
  if (!parts.office.has(part)) return '';
  return descendantsOf(parts.office.xml(part), 't')
    .map((one) => one.textContent ?? '')
    .join(' ');
}

/** An object of another program is kept as the picture that it brings. */
function addObject(shape: Shape, reading: Reading, { data, addShape }: Showing): void {
  const picture = descendantsOf(data, 'pic')[0];
  if (picture === undefined) {
    const name = descendantsOf(data, 'oleObj').map((one) => attributeOf(one, 'progId') ?? '');
    const ledger = reading.ledger.element('object', shape.origin);
    ledger.drop(
      'OBJECT_DROPPED',
      'an embedded object without a picture is not kept',
      name.join(' '),
    );
    return;
  }
  const blank = childrenOf(picture, 'spPr').length === 0;
  addShape(
    { ...shape, element: picture, isFallback: true, alt: shape.alt || (blank ? '' : shape.name) },
    reading,
  );
}
