import type { Theme } from '../deck/deck.ts';
import { defaultTheme } from '../deck/theme.ts';
import { attributeOf, childAt, childrenOf, type XmlElement } from './xml.ts';

/** The colours of a theme by their names there, as `#RRGGBB`. */
export type Scheme = ReadonlyMap<string, string>;

const ALIASES: Readonly<Record<string, string>> = {
  bg1: 'lt1',
  tx1: 'dk1',
  bg2: 'lt2',
  tx2: 'dk2',
};

function hexOf(value: string | null): string | null {
  return value !== null && /^[0-9A-Fa-f]{6}$/.test(value) ? `#${value.toUpperCase()}` : null;
}

export function schemeOf(theme: XmlElement | null): Scheme {
  const scheme = new Map<string, string>();
  for (const slot of childrenOf(childAt(theme, 'themeElements', 'clrScheme'))) {
    const colour =
      hexOf(attributeOf(childAt(slot, 'srgbClr'), 'val')) ??
      hexOf(attributeOf(childAt(slot, 'sysClr'), 'lastClr'));
    if (colour !== null && slot.localName !== null) scheme.set(slot.localName, colour);
  }
  return scheme;
}

/** The colour of a `solidFill`, or null where it is none that we can tell. */
export function fillColour(fill: XmlElement | null, scheme: Scheme): string | null {
  const own = hexOf(attributeOf(childAt(fill, 'srgbClr'), 'val'));
  if (own !== null) return own;
  const named = attributeOf(childAt(fill, 'schemeClr'), 'val');
  if (named === null) return null;
  return scheme.get(ALIASES[named] ?? named) ?? null;
}

export function themeOf(theme: XmlElement | null): Theme {
  const scheme = schemeOf(theme);
  const { colours, fonts } = defaultTheme;
  const accents = [1, 2, 3, 4, 5, 6].flatMap((index) => scheme.get(`accent${index}`) ?? []);
  const font = (which: string, otherwise: string): string =>
    attributeOf(childAt(theme, 'themeElements', 'fontScheme', which, 'latin'), 'typeface')?.slice(
      0,
      128,
    ) || otherwise;
  return {
    colours: {
      background: scheme.get('lt1') ?? colours.background,
      text: scheme.get('dk1') ?? colours.text,
      accents: accents.length > 0 ? accents : colours.accents,
    },
    fonts: { heading: font('majorFont', fonts.heading), body: font('minorFont', fonts.body) },
  };
}
