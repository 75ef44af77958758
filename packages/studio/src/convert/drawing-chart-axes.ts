import type { ElementLedger } from '../deck/losses.ts';
import { attributeOf, childAt, childrenOf, type XmlElement } from './xml.ts';

const valueOf = (element: XmlElement | null): string | null => attributeOf(element, 'val');

/** What axes have that a deck does not: places of their own, and distances of time. */
export function noteAxes(area: XmlElement | null, ledger: ElementLedger): void {
  const axes = childrenOf(area).filter(({ localName }) => localName?.endsWith('Ax'));
  const shown = axes.filter((axis) => valueOf(childAt(axis, 'delete')) !== '1');
  if (shown.some((axis) => isElsewhere(axis, axes))) {
    ledger.lose('CHART_FEATURE_DROPPED', 'an axis that crosses the other one elsewhere is moved');
  }
  if (shown.some(({ localName }) => localName === 'dateAx')) {
    ledger.lose('CHART_FEATURE_DROPPED', 'dates stand at equal distances');
  }
}

/** An axis at the far end of one that is turned is where it usually is. */
function isElsewhere(axis: XmlElement, axes: readonly XmlElement[]): boolean {
  if (childAt(axis, 'crossesAt') !== null) return true;
  const crosses = valueOf(childAt(axis, 'crosses'));
  if (crosses !== 'max') return false;
  const crossed = valueOf(childAt(axis, 'crossAx'));
  const other = axes.find((one) => valueOf(childAt(one, 'axId')) === crossed) ?? null;
  return valueOf(childAt(other, 'scaling', 'orientation')) !== 'maxMin';
}
