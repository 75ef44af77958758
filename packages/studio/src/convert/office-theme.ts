import type { Theme } from '../deck/deck.ts';
import { defaultTheme } from '../deck/theme.ts';
import { attributeOf, childAt, childrenOf, type XmlElement } from './xml.ts';

/** The colours of a theme by their names there, as `#RRGGBB`. */
export type Scheme = ReadonlyMap<string, string>;

const USUAL_MAP: Readonly<Record<string, string>> = {
  bg1: 'lt1',
  tx1: 'dk1',
  bg2: 'lt2',
  tx2: 'dk2',
};

function hexOf(value: string | null): string | null {
  return value !== null && /^[0-9A-Fa-f]{6}$/.test(value) ? `#${value.toUpperCase()}` : null;
}

/** The theme's colours, and what a master calls them. */
export function schemeOf(theme: XmlElement | null, map: XmlElement | null = null): Scheme {
  const scheme = new Map<string, string>();
  for (const slot of childrenOf(childAt(theme, 'themeElements', 'clrScheme'))) {
    const colour =
      hexOf(attributeOf(childAt(slot, 'srgbClr'), 'val')) ??
      hexOf(attributeOf(childAt(slot, 'sysClr'), 'lastClr'));
    if (colour !== null && slot.localName !== null) scheme.set(slot.localName, colour);
  }
  for (const [name, usual] of Object.entries(USUAL_MAP)) {
    const colour = scheme.get(attributeOf(map, name) ?? usual);
    if (colour !== undefined) scheme.set(name, colour);
  }
  return scheme;
}

export function themeOf(theme: XmlElement | null, map: XmlElement | null = null): Theme {
  const scheme = schemeOf(theme, map);
  const more = (name: string, slot: string): object => {
    const colour = scheme.get(slot);
    return colour === undefined ? {} : { [name]: colour };
  };
  const { colours, fonts } = defaultTheme;
  const accents = [1, 2, 3, 4, 5, 6].flatMap((index) => scheme.get(`accent${index}`) ?? []);
  const font = (which: string, otherwise: string): string =>
    attributeOf(childAt(theme, 'themeElements', 'fontScheme', which, 'latin'), 'typeface')?.slice(
      0,
      128,
    ) || otherwise;
  return {
    colours: {
      background: scheme.get('bg1') ?? colours.background,
      text: scheme.get('tx1') ?? colours.text,
      accents: accents.length > 0 ? accents : colours.accents,
      ...more('background2', 'bg2'),
      ...more('text2', 'tx2'),
      ...more('link', 'hlink'),
      ...more('visited', 'folHlink'),
    },
    fonts: { heading: font('majorFont', fonts.heading), body: font('minorFont', fonts.body) },
  };
}
