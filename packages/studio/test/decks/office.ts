// LibreOffice as the judge of how a presentation looks, and a reader of its PDFs.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { findProgram, installWithout } from '../../../../scripts/peers/debian.ts';
import { inRepository } from '../../../../scripts/run/repository.ts';

export interface Office {
  /** For each presentation the pictures of its slides, in their order. */
  draw(all: readonly Uint8Array[]): string[][];
  /** Its own templates, as .pptx. */
  templates(): (readonly [name: string, bytes: Uint8Array])[];
  readonly version: string;
}

const TEMPLATES = '/usr/lib/libreoffice/share/template/common/presnt';
/** Both sides must have the same fonts to choose from, of the widths that presentations expect. */
const FONTS: Readonly<Record<string, string>> = {
  'fonts-liberation': 'liberation/LiberationSans-Regular.ttf',
  'fonts-crosextra-carlito': 'crosextra/Carlito-Regular.ttf',
  'fonts-crosextra-caladea': 'crosextra/Caladea-Regular.ttf',
};
const FONT_FOLDER = '/usr/share/fonts/truetype';
/** The system's fonts, and those that previews take from packages. */
const FONT_LIST = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir>${inRepository('node_modules/@expo-google-fonts')}</dir>
</fontconfig>
`;
const WIDTH = 960;
const AT_ONCE = 12;
const RUN_MS_MAX = 300_000;

const hidden = { ExportHiddenSlides: { type: 'boolean', value: 'true' } };
const AS_PDF = `pdf:impress_pdf_Export:${JSON.stringify(hidden)}`;

/** Null where LibreOffice or what reads its PDFs cannot be had. */
export async function findOffice(cache: string): Promise<Office | null> {
  const soffice = await findProgram({
    names: ['soffice', 'libreoffice'],
    package: 'libreoffice-impress-nogui',
    variable: 'SOFFICE_PATH',
  });
  const pdftoppm = await findProgram({
    names: ['pdftoppm'],
    package: 'poppler-utils',
    variable: 'PDFTOPPM_PATH',
  });
  if (soffice === null || pdftoppm === null) return null;
  for (const [name, file] of Object.entries(FONTS)) {
    await installWithout(name, () => existsSync(join(FONT_FOLDER, file)));
  }
  return new LibreOffice({ soffice, pdftoppm }, cache);
}

class LibreOffice implements Office {
  readonly version: string;
  readonly #programs: { readonly soffice: string; readonly pdftoppm: string };
  readonly #cache: string;
  readonly #profile: string;
  readonly #env: NodeJS.ProcessEnv;

  constructor(programs: { soffice: string; pdftoppm: string }, cache: string) {
    this.#programs = programs;
    this.#cache = cache;
    this.#profile = `-env:UserInstallation=file://${join(cache, 'profile')}`;
    const fonts = join(cache, 'fonts.conf');
    mkdirSync(cache, { recursive: true });
    writeFileSync(fonts, FONT_LIST);
    this.#env = { ...process.env, FONTCONFIG_FILE: fonts };
    const version = execFileSync(programs.soffice, [this.#profile, '--version']);
    this.version = version.toString().trim();
  }

  templates(): (readonly [string, Uint8Array])[] {
    const out = join(this.#cache, 'templates', this.version.replaceAll(/[^\d.]+/g, '-'));
    const names = existsSync(TEMPLATES) ? readdirSync(TEMPLATES).toSorted() : [];
    const written = (name: string): string => join(out, name.replace(/otp$/, 'pptx'));
    const missing = names.filter((name) => !existsSync(written(name)));
    inTurns(missing, (some) => {
      const paths = some.map((name) => join(TEMPLATES, name));
      this.#convert(paths, { filter: 'pptx', out });
    });
    return names.map((name) => [name, readFileSync(written(name))] as const);
  }

  draw(all: readonly Uint8Array[]): string[][] {
    const folders = all.map((bytes) => join(this.#cache, 'drawn', nameOf(bytes)));
    const missing = folders.flatMap((folder, index) => (existsSync(folder) ? [] : [index]));
    const making = join(this.#cache, 'making');
    rmSync(making, { recursive: true, force: true });
    mkdirSync(making, { recursive: true });
    mkdirSync(join(this.#cache, 'drawn'), { recursive: true });
    inTurns(missing, (some) => {
      const stems = some.map((index) => join(making, nameOf(all[index]!)));
      const sources = stems.map((stem) => `${stem}.pptx`);
      some.forEach((index, at) => writeFileSync(sources[at]!, all[index]!));
      this.#convert(sources, { filter: AS_PDF, out: making });
      some.forEach((index, at) => this.#pictures(stems[at]!, folders[index]!));
    });
    const paths = (folder: string): string[] =>
      readdirSync(folder)
        .toSorted()
        .map((name) => join(folder, name));
    return folders.map(paths);
  }

  #convert(paths: readonly string[], of: { readonly filter: string; readonly out: string }): void {
    const where = ['--outdir', of.out, ...paths];
    const args = [this.#profile, '--headless', '--convert-to', of.filter, ...where];
    const options = { env: this.#env, stdio: 'pipe', timeout: RUN_MS_MAX } as const;
    execFileSync(this.#programs.soffice, args, options);
  }

  #pictures(stem: string, folder: string): void {
    if (existsSync(folder)) return;
    rmSync(stem, { recursive: true, force: true });
    mkdirSync(stem);
    const size = ['-scale-to-x', String(WIDTH), '-scale-to-y', '-1'];
    execFileSync(this.#programs.pdftoppm, ['-png', ...size, `${stem}.pdf`, join(stem, 'slide')]);
    renameSync(stem, folder);
  }
}

function nameOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 24);
}

/** It takes seconds to start, and now and then it ends without a word: then once more. */
function inTurns<One>(all: readonly One[], work: (some: readonly One[]) => void): void {
  for (let from = 0; from < all.length; from += AT_ONCE) {
    const some = all.slice(from, from + AT_ONCE);
    try {
      work(some);
    } catch {
      work(some);
    }
  }
}
