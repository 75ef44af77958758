// Where fonts come from: packages that are installed, then the system's own folders.
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { optionalPackage } from '../work/optional-package.ts';

/** What we use of fontkit, which comes with pdfkit: which characters a font has. */
interface OpenedFont {
  readonly postscriptName: string;
  readonly familyName: string;
  readonly subfamilyName: string;
  hasGlyphForCodePoint(codePoint: number): boolean;
}

interface Fontkit {
  openSync(path: string): OpenedFont & { readonly fonts?: readonly OpenedFont[] };
}

/** A font that can be drawn with. */
export interface FontFile {
  /** What it is registered as. */
  readonly name: string;
  readonly path: string;
  /** Which one of a collection. */
  readonly postscriptName: string | null;
  readonly family: string;
  readonly isBold: boolean;
  readonly isItalic: boolean;
  has(codePoint: number): boolean;
}

const { resolve } = createRequire(import.meta.url);

function resolved(specifier: string): string | null {
  try {
    return resolve(specifier);
  } catch {
    return null;
  }
}

/** Packages of fonts that are used where they are installed, in the order they are asked. */
const SCRIPTS: readonly (readonly [name: string, file: string])[] = [
  ['arabic', 'Arabic'],
  ['hebrew', 'Hebrew'],
  ['devanagari', 'Devanagari'],
  ['bengali', 'Bengali'],
  ['gurmukhi', 'Gurmukhi'],
  ['gujarati', 'Gujarati'],
  ['tamil', 'Tamil'],
  ['telugu', 'Telugu'],
  ['kannada', 'Kannada'],
  ['malayalam', 'Malayalam'],
  ['sinhala', 'Sinhala'],
  ['thai', 'Thai'],
  ['lao', 'Lao'],
  ['khmer', 'Khmer'],
  ['myanmar', 'Myanmar'],
  ['ethiopic', 'Ethiopic'],
  ['georgian', 'Georgian'],
  ['armenian', 'Armenian'],
  ['sc', 'SC'],
  ['jp', 'JP'],
  ['kr', 'KR'],
  ['tc', 'TC'],
];

interface Alike {
  readonly package: string;
  readonly file: string;
  /** As the system has it, where the package is not installed. */
  readonly families: readonly string[];
}

const CARLITO: Alike = { package: 'carlito', file: 'Carlito', families: ['Carlito'] };
const CALADEA: Alike = { package: 'caladea', file: 'Caladea', families: ['Caladea'] };
const ARIMO: Alike = {
  package: 'arimo',
  file: 'Arimo',
  families: ['Arimo', 'Liberation Sans'],
};
const TINOS: Alike = { package: 'tinos', file: 'Tinos', families: ['Tinos', 'Liberation Serif'] };
const COUSINE: Alike = {
  package: 'cousine',
  file: 'Cousine',
  families: ['Cousine', 'Liberation Mono'],
};

/** Free fonts of the same widths as those that office programs name. */
const ALIKE: Readonly<Record<string, Alike>> = {
  calibri: CARLITO,
  carlito: CARLITO,
  cambria: CALADEA,
  caladea: CALADEA,
  arial: ARIMO,
  helvetica: ARIMO,
  'times new roman': TINOS,
  'courier new': COUSINE,
};

const FOLDERS = [
  '/usr/share/fonts',
  '/usr/local/share/fonts',
  join(homedir(), '.fonts'),
  join(homedir(), '.local/share/fonts'),
  '/Library/Fonts',
  '/System/Library/Fonts',
  'C:\\Windows\\Fonts',
];
const SYSTEM_FILES_MAX = 2_000;

/** Finds fonts and opens each once. */
export class FontFiles {
  readonly #fontkit: Fontkit;
  readonly #opened: Map<string, FontFile | null> = new Map();
  #system: readonly FontFile[] | null = null;

  constructor(fontkit: Fontkit) {
    this.#fontkit = fontkit;
  }

  static async open(): Promise<FontFiles> {
    // @ts-expect-error -- the package has no declarations
    const fontkit = await optionalPackage<Fontkit>('fontkit', () => import('fontkit'));
    return new FontFiles(fontkit);
  }

  /** A font by its path; null for one that cannot be read. */
  at(path: string, name?: string): FontFile | null {
    const known = this.#opened.get(path);
    if (known !== undefined) return known;
    const file = this.#open(path, name);
    this.#opened.set(path, file);
    return file;
  }

  #open(path: string, name: string | undefined): FontFile | null {
    try {
      const whole = this.#fontkit.openSync(path);
      const first = whole.fonts?.[0] ?? whole;
      const coverage = new Map<number, boolean>();
      return {
        name: name ?? first.postscriptName,
        path,
        postscriptName: whole.fonts === undefined ? null : first.postscriptName,
        family: first.familyName,
        isBold: /bold|black|heavy/i.test(first.subfamilyName),
        isItalic: /italic|oblique/i.test(first.subfamilyName),
        has: (codePoint) => {
          let has = coverage.get(codePoint);
          if (has === undefined) {
            has = first.hasGlyphForCodePoint(codePoint);
            coverage.set(codePoint, has);
          }
          return has;
        },
      };
    } catch {
      return null;
    }
  }

  #ofPackage(name: string, file: string, cut: string): FontFile | null {
    const path = resolved(`@expo-google-fonts/${name}/${cut}/${file}_${cut}.ttf`);
    return path === null ? null : this.at(path);
  }

  /** The font that a document names, or one of the same widths; null where there is none. */
  named(font: string, bold: boolean, italic: boolean): FontFile | null {
    const own = this.#ofSystem(font, bold, italic);
    const alike = ALIKE[font.toLowerCase()];
    if (own !== null || alike === undefined) return own;
    const cut = `${bold ? '700Bold' : '400Regular'}${italic ? '_Italic' : ''}`;
    const packaged = this.#ofPackage(alike.package, alike.file, cut);
    if (packaged !== null) return packaged;
    const families = alike.families.map((family) => this.#ofSystem(family, bold, italic));
    return families.find((one) => one !== null) ?? null;
  }

  #ofSystem(font: string, bold: boolean, italic: boolean): FontFile | null {
    const family = this.system().filter((one) => one.family.toLowerCase() === font.toLowerCase());
    const exact = family.find((one) => one.isBold === bold && one.isItalic === italic);
    return exact ?? family[0] ?? null;
  }

  /** Fonts for scripts that the bundled ones do not have. */
  *scripts(bold: boolean): Generator<FontFile> {
    for (const [name, file] of SCRIPTS) {
      const cut = this.#ofPackage(
        `noto-sans-${name}`,
        `NotoSans${file}`,
        bold ? '700Bold' : '400Regular',
      );
      if (cut !== null) yield cut;
    }
    yield* this.system();
  }

  /** The font of coloured emoji, or null. */
  emoji(): FontFile | null {
    const own = this.#ofPackage('noto-color-emoji', 'NotoColorEmoji', '400Regular');
    return own ?? this.system().find(({ family }) => /emoji/i.test(family)) ?? null;
  }

  /** The fonts of this machine, read when they are first needed. */
  system(): readonly FontFile[] {
    this.#system ??= FOLDERS.flatMap(filesIn)
      .slice(0, SYSTEM_FILES_MAX)
      .flatMap((path) => this.at(path) ?? []);
    return this.#system;
  }
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(ttf|otf|ttc)$/i.test(name))
      .toSorted()
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}
