import type { Box } from '../deck/deck.ts';
import type { Geometry } from '../deck/look.ts';
import type { ElementLedger } from '../deck/losses.ts';
import { commandsOf, evaluate, presets, type WrittenPath } from '../deck/outline.ts';
import { attributeOf, childAt, childrenOf, numberOf, type XmlElement } from './xml.ts';

/** The geometry that a shape's properties name; null where they name none. */
export function geometryOf(
  properties: XmlElement | null,
  box: Box | null,
  ledger: ElementLedger,
): Geometry | null {
  const preset = childAt(properties, 'prstGeom');
  if (preset !== null) return presetOf(preset, ledger);
  const custom = childAt(properties, 'custGeom');
  return custom === null ? null : pathsOf(custom, box ?? { x: 0, y: 0, width: 1, height: 1 });
}

function presetOf(element: XmlElement, ledger: ElementLedger): Geometry {
  const name = attributeOf(element, 'prst') ?? 'rect';
  if (!presets().has(name)) {
    const what = `the shape ${name.slice(0, 64)} is drawn as a rectangle`;
    ledger.lose('SHAPE_GEOMETRY_APPROXIMATED', what);
    return { preset: 'rect' };
  }
  const values = childrenOf(childAt(element, 'avLst'), 'gd').flatMap((guide) => {
    const value = Number((attributeOf(guide, 'fmla') ?? '').replace(/^val\s+/, ''));
    const key = attributeOf(guide, 'name') ?? '';
    return Number.isFinite(value) && /^\w{1,32}$/.test(key) ? [[key, value] as const] : [];
  });
  const adjustments = Object.fromEntries(values.slice(0, 20));
  return { preset: name, ...(values.length === 0 ? {} : { adjustments }) };
}

const COMMANDS: Readonly<Record<string, string>> = {
  moveTo: 'M',
  lnTo: 'L',
  cubicBezTo: 'C',
  quadBezTo: 'Q',
  arcTo: 'A',
  close: 'Z',
};

const PATHS_MAX = 100;
const LENGTH_MAX = 200_000;

/** A shape of the file's own, its formulas evaluated: what is left are plain paths. */
function pathsOf(custom: XmlElement, box: Box): Geometry {
  const guides = (list: string): [string, string][] =>
    childrenOf(childAt(custom, list), 'gd').map((guide) => [
      attributeOf(guide, 'name') ?? '',
      attributeOf(guide, 'fmla') ?? '',
    ]);
  const written = childrenOf(childAt(custom, 'pathLst'), 'path').slice(0, PATHS_MAX);
  const size = { width: Math.max(box.width, 0.01), height: Math.max(box.height, 0.01) };
  const { paths } = evaluate(
    {
      name: 'custom',
      guides: [...guides('avLst'), ...guides('gdLst')],
      paths: written.map(pathOf),
    },
    size,
  );
  return {
    paths: paths.flatMap(({ steps, isFilled, isDrawn }) => {
      const commands = commandsOf(steps, size);
      if (commands.length > LENGTH_MAX) return [];
      return [
        {
          commands,
          ...(isFilled ? {} : { fill: false as const }),
          ...(isDrawn ? {} : { line: false as const }),
        },
      ];
    }),
  };
}

function pathOf(path: XmlElement): WrittenPath {
  const commands = childrenOf(path).flatMap((step): string[][] => {
    const name = COMMANDS[step.localName ?? ''];
    if (name === undefined) return [];
    const operands =
      name === 'A'
        ? ['wR', 'hR', 'stAng', 'swAng'].map((key) => attributeOf(step, key) ?? '0')
        : childrenOf(step, 'pt').flatMap((point) => [
            attributeOf(point, 'x') ?? '0',
            attributeOf(point, 'y') ?? '0',
          ]);
    return [[name, ...operands]];
  });
  const [width, height] = [numberOf(path, 'w', 0), numberOf(path, 'h', 0)];
  const fill = attributeOf(path, 'fill');
  const isHidden = ['0', 'false'].includes(attributeOf(path, 'stroke') ?? '');
  return {
    commands,
    ...(width > 0 ? { width } : {}),
    ...(height > 0 ? { height } : {}),
    ...(fill === null ? {} : { fill }),
    ...(isHidden ? { stroke: false } : {}),
  };
}
