import type { TextBlock } from '../deck/deck.ts';
import type { ElementLedger } from '../deck/losses.ts';
import { attributeOf, childAt, numberOf, type XmlElement } from './xml.ts';

/** How text stands in its box. */
export type TextFrameLook = Pick<TextBlock, 'anchor' | 'inset' | 'upright' | 'wrap'>;

/** `bodyPr` elements from the nearest to the farthest. */
type Bodies = readonly (XmlElement | null)[];

const EMU = 12_700;
const ANCHORS = { ctr: 'middle', b: 'bottom' } as const;

function firstOf(bodies: Bodies, name: string): string | null {
  for (const one of bodies) {
    const value = attributeOf(one, name);
    if (value !== null) return value;
  }
  return null;
}

/** Insets, the anchor and the direction of the text of a shape. */
export function frameOf(bodies: Bodies, ledger: ElementLedger): TextFrameLook {
  const inset = (name: string, usual: number): number => {
    const value = Number(firstOf(bodies, name) ?? usual) / EMU;
    return Number.isFinite(value) ? Math.round(Math.min(4_032, Math.max(0, value)) * 100) / 100 : 0;
  };
  const anchor = ANCHORS[(firstOf(bodies, 'anchor') ?? '') as keyof typeof ANCHORS];
  const upright = uprightOf(firstOf(bodies, 'vert') ?? 'horz', ledger);
  if (Number(firstOf(bodies, 'numCol') ?? 1) > 1) {
    ledger.lose('TEXT_COLUMNS_DROPPED', 'text in columns is kept as one column');
  }
  const warp = bodies.map((one) => childAt(one, 'prstTxWarp')).find((one) => one !== null);
  if (warp !== undefined && attributeOf(warp, 'prst') !== 'textNoShape') {
    ledger.lose('TEXT_EFFECT_DROPPED', 'the bend of letters is not kept');
  }
  return {
    ...(anchor === undefined ? {} : { anchor }),
    inset: {
      left: inset('lIns', 91_440),
      top: inset('tIns', 45_720),
      right: inset('rIns', 91_440),
      bottom: inset('bIns', 45_720),
    },
    ...(upright === null ? {} : { upright }),
    ...(firstOf(bodies, 'wrap') === 'none' ? { wrap: false as const } : {}),
  };
}

function uprightOf(direction: string, ledger: ElementLedger): 90 | 270 | null {
  if (direction === 'horz') return null;
  if (direction === 'vert') return 90;
  if (direction === 'vert270') return 270;
  ledger.lose('TEXT_DIRECTION_APPROXIMATED', 'letters that stand below each other are turned');
  return 90;
}

/** By how much the program made the text smaller, so that it fits. */
export function scaleOf(bodies: Bodies): { scale: number; lineReduction: number } {
  for (const one of bodies) {
    const fit = childAt(one, 'normAutofit');
    if (fit !== null) {
      return {
        scale: Math.min(1, Math.max(0.1, numberOf(fit, 'fontScale', 100_000) / 100_000)),
        lineReduction: Math.min(0.5, Math.max(0, numberOf(fit, 'lnSpcReduction', 0) / 100_000)),
      };
    }
    if (childAt(one, 'noAutofit') !== null || childAt(one, 'spAutoFit') !== null) break;
  }
  return { scale: 1, lineReduction: 0 };
}
