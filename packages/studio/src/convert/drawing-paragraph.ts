// Lists, spaces and directions of paragraphs, through the styles they inherit from.
import type { Paragraph } from '../deck/deck.ts';
import type { ElementLedger } from '../deck/losses.ts';
import { attributeOf, childAt, childrenOf, numberOf, type XmlElement } from './xml.ts';

/** Properties of a paragraph from the nearest to the farthest. */
type Chain = readonly (XmlElement | null)[];

const EMU = 12_700;

export type Listed = Pick<Paragraph, 'list' | 'marker' | 'numbering' | 'start'>;

const NUMBERINGS: Readonly<Record<string, NonNullable<Paragraph['numbering']>>> = {
  arabicPlain: 'decimal',
  arabicPeriod: 'decimal',
  arabicParenR: 'decimalParenthesis',
  arabicParenBoth: 'decimalParenthesis',
  alphaLcPeriod: 'lowerLetter',
  alphaLcParenR: 'lowerLetterParenthesis',
  alphaLcParenBoth: 'lowerLetterParenthesis',
  alphaUcPeriod: 'upperLetter',
  alphaUcParenR: 'upperLetterParenthesis',
  alphaUcParenBoth: 'upperLetterParenthesis',
  romanLcPeriod: 'lowerRoman',
  romanLcParenR: 'lowerRoman',
  romanUcPeriod: 'upperRoman',
  romanUcParenR: 'upperRoman',
};

/** What the first of the properties that speaks of bullets says; nothing where it says none. */
export function listIn(chain: Chain, ledger: ElementLedger): Listed {
  for (const properties of chain) {
    for (const element of childrenOf(properties)) {
      switch (element.localName) {
        case 'buNone':
          return {};
        case 'buBlip':
          ledger.lose('TEXT_LIST_APPROXIMATED', 'pictures as bullets are drawn as dots');
          return { list: 'bullet' };
        case 'buChar': {
          const marker = Array.from(attributeOf(element, 'char') ?? '')
            .slice(0, 4)
            .join('');
          return { list: 'bullet', ...(marker === '' || marker === '•' ? {} : { marker }) };
        }
        case 'buAutoNum': {
          const type = attributeOf(element, 'type') ?? 'arabicPeriod';
          const numbering = NUMBERINGS[type];
          if (numbering === undefined) {
            ledger.lose(
              'TEXT_LIST_APPROXIMATED',
              `numbers of the kind ${type} are drawn as 1, 2, 3`,
            );
          }
          const start = Math.trunc(numberOf(element, 'startAt', 1));
          return {
            list: 'number',
            ...(numbering === undefined || numbering === 'decimal' ? {} : { numbering }),
            ...(start > 1 && start <= 32_767 ? { start } : {}),
          };
        }
        default:
      }
    }
  }
  return {};
}

const ALIGNS = { ctr: 'center', r: 'right', just: 'justify', dist: 'justify' } as const;

export function alignOf(chain: Chain): NonNullable<Paragraph['align']> | null {
  for (const properties of chain) {
    const align = attributeOf(properties, 'algn');
    if (align !== null)
      return ALIGNS[align as keyof typeof ALIGNS] ?? (align === 'l' ? null : 'justify');
  }
  return null;
}

export function directionOf(chain: Chain): 'rtl' | null {
  for (const properties of chain) {
    const value = attributeOf(properties, 'rtl');
    if (value !== null) return ['1', 'true'].includes(value) ? 'rtl' : null;
  }
  return null;
}

const round = (value: number): number => Math.round(value * 100) / 100;

/** Spaces are given in points or as a share of the text's size. */
export function spacingOf(
  chain: Chain,
  of: { readonly size: number; readonly scale: number; readonly lineReduction: number },
): NonNullable<Paragraph['spacing']> {
  const found = (name: string): XmlElement | null => {
    for (const properties of chain) {
      const element = childAt(properties, name);
      if (element !== null) return element;
    }
    return null;
  };
  const points = (name: string): number => {
    const element = found(name);
    const own = childAt(element, 'spcPts');
    if (own !== null) return (numberOf(own, 'val', 0) / 100) * of.scale;
    return (numberOf(childAt(element, 'spcPct'), 'val', 0) / 100_000) * of.size * 1.2;
  };
  const line = found('lnSpc');
  const fixed = childAt(line, 'spcPts');
  const share =
    fixed === null
      ? numberOf(childAt(line, 'spcPct'), 'val', 100_000) / 100_000 - of.lineReduction
      : ((numberOf(fixed, 'val', 0) / 100) * of.scale) / (of.size * 1.2);
  const [before, after] = [points('spcBef'), points('spcAft')].map((one) =>
    round(Math.min(4_000, Math.max(0, one))),
  );
  // Of our own lines, which are a little higher than those of office programs.
  const height = round(Math.min(20, Math.max(0.05, share * 0.97)));
  return {
    ...(before! > 0 ? { before: before! } : {}),
    ...(after! > 0 ? { after: after! } : {}),
    line: height,
  };
}

/** How far a paragraph is indented; nothing where it is not. */
export function indentIn(
  chain: Chain,
  of: { readonly level: number; readonly isListed: boolean; readonly scale: number },
): Pick<Paragraph, 'indent'> {
  const points = (name: string): number => {
    for (const properties of chain) {
      const value = attributeOf(properties, name);
      if (value !== null && Number.isFinite(Number(value))) return Number(value) / EMU;
    }
    return 0;
  };
  const left = round(Math.min(4_000, Math.max(0, points('marL'))));
  const first = round(Math.min(4_000, Math.max(-4_000, points('indent'))));
  if (left === 0 && first === 0 && of.level === 0 && !of.isListed) return {};
  return { indent: { left, first } };
}
