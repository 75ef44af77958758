import { createRequire } from 'node:module';
import { fail } from 'pawl/define';

type Family = 'sans' | 'serif' | 'mono';

/** What text wants to be drawn with. */
export interface Face {
  /** The font that the document names, if any. */
  readonly font?: string;
  /** The family that stands for it where it is not there. */
  readonly family: Family;
  readonly bold: boolean;
  readonly italic: boolean;
}

const FILES: Readonly<Record<Family, readonly [string, string, string, string]>> = {
  sans: [
    'DejaVuSansCondensed',
    'DejaVuSansCondensed-Bold',
    'DejaVuSansCondensed-Oblique',
    'DejaVuSansCondensed-BoldOblique',
  ],
  serif: [
    'DejaVuSerifCondensed',
    'DejaVuSerifCondensed-Bold',
    'DejaVuSerifCondensed-Italic',
    'DejaVuSerifCondensed-BoldItalic',
  ],
  mono: [
    'DejaVuSansMono',
    'DejaVuSansMono-Bold',
    'DejaVuSansMono-Oblique',
    'DejaVuSansMono-BoldOblique',
  ],
};

/** The bundled cut of a face, under which it is registered and embedded. */
export function faceName({ family, bold, italic }: Face): string {
  return FILES[family][(bold ? 1 : 0) + (italic ? 2 : 0)]!;
}

/** Where a bundled cut lies. */
export function faceFile(name: string): string {
  try {
    return createRequire(import.meta.url).resolve(`dejavu-fonts-ttf/ttf/${name}.ttf`);
  } catch (error) {
    const message = 'the fonts are not there: run npm install dejavu-fonts-ttf';
    throw fail('configuration_error', message, { code: 'PACKAGE_MISSING', cause: error });
  }
}

const SERIF = /serif|times|georgia|garamond|cambria|palatino|baskerville|roman|bodoni|book/i;
const MONO = /mono|courier|consol|code|typewriter/i;

/** The family that comes nearest to a font which we do not have. */
export function familyOf(font: string): Family {
  if (MONO.test(font)) return 'mono';
  return SERIF.test(font) && !/sans/i.test(font) ? 'serif' : 'sans';
}

/** The fonts that come with us, by the names that documents use. */
export function isBundled(font: string): boolean {
  return /^dejavu (sans|serif|sans mono|sans condensed|serif condensed)$/i.test(font);
}
