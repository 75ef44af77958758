import { createRequire } from 'node:module';
import { fail } from 'pawl/define';

/** A cut of a typeface that can be drawn. */
export interface Face {
  readonly family: 'sans' | 'serif' | 'mono';
  readonly bold: boolean;
  readonly italic: boolean;
}

const FILES: Readonly<Record<Face['family'], readonly [string, string, string, string]>> = {
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

/** Every face's own name, under which it is registered and embedded. */
export function faceName({ family, bold, italic }: Face): string {
  return FILES[family][(bold ? 1 : 0) + (italic ? 2 : 0)]!;
}

/** All names of faces. */
export const FACE_NAMES: readonly string[] = Object.values(FILES).flat();

/** Where the face's file lies. */
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
export function familyOf(font: string): Face['family'] {
  if (MONO.test(font)) return 'mono';
  return SERIF.test(font) && !/sans/i.test(font) ? 'serif' : 'sans';
}
