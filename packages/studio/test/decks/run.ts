// `npm run proof:decks`: presentations from packages and of our own, beside LibreOffice.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { LossCode } from '../../src/deck/losses.ts';
import { inRepository } from '../../../../scripts/run/repository.ts';
import type { Rung, Say } from '../../../../test/proof/figures.ts';
import { EXPLAINED } from './explained.ts';
import { judge, type JudgedSlide } from './judge.ts';
import { findOffice, type Office } from './office.ts';
import { ownFiles } from './own.ts';
import { filesOf, type FoundFile, PACKAGES } from './packages.ts';
import { type JudgedFile, writePage } from './page.ts';

const MEDIAN_MIN = 0.8;
const SLIDE_MIN = 0.6;
const FILES_MIN = 30;
/** Losses that explain nothing of a picture. */
const UNSEEN: ReadonlySet<LossCode> = new Set([
  'FONT_SUBSTITUTED',
  'LINK_DROPPED',
  'ANIMATION_DROPPED',
  'TRANSITION_DROPPED',
  'COMMENT_DROPPED',
] as const);
const NOTICE = '/usr/share/doc/libreoffice-common/copyright';

/** `--only word` judges the files whose names have it; `--out folder` is where the page goes. */
export const runDecks: Rung = async (options, say) => {
  const cache = inRepository('.cache/decks');
  const office = await findOffice(cache);
  if (office === null) {
    const missing = 'LibreOffice and pdftoppm (Debian: libreoffice-impress-nogui, poppler-utils)';
    return { figures: {}, violations: [`not run: ${missing} cannot be had here`] };
  }
  const only = options.text('only') ?? '';
  const all = await corpus(office, cache);
  const chosen = all.filter(({ name }) => name.includes(only));
  const { files, violations } = await judgeAll(chosen, office, say);
  const slides = files.flatMap((file) => file.slides);
  const similarities = slides.map(({ similarity }) => similarity);
  const median = medianOf(similarities);
  const others = files.filter(({ origin }) => origin !== 'Pawl').length;
  const whole = only === '';
  if (whole && median < MEDIAN_MIN) violations.push(`the median is ${median.toFixed(2)}`);
  if (whole && (files.length < FILES_MIN || others * 2 < files.length)) {
    violations.push(`${files.length} files, of which ${others} are not ours`);
  }
  const figures = {
    files: files.length,
    'not made by us': others,
    slides: slides.length,
    'similarity, median': median.toFixed(3),
    'the same of slides that do not belong together': medianOf(
      slides.map(({ strangers }) => strangers),
    ).toFixed(3),
    'similarity, least': Math.min(...similarities).toFixed(3),
    'slides below 0.60': similarities.filter((one) => one < SLIDE_MIN).length,
    'of these, explained by hand': files.flatMap(({ name, slides: own }) =>
      own.filter((one) => one.similarity < SLIDE_MIN && EXPLAINED[`${name} ${one.number}`]),
    ).length,
    'text runs': slides.reduce((sum, { runs }) => sum + runs, 0),
    'missing runs': slides.reduce((sum, { missing }) => sum + missing.length, 0),
    'boxes and sizes out of bounds': slides.reduce((sum, one) => sum + one.misplaced.length, 0),
    judge: office.version,
  };
  const page = options.text('out') ?? join(cache, 'page');
  rmSync(join(page, 'pictures'), { recursive: true, force: true });
  writePage(
    page,
    files,
    Object.entries(figures).map(([name, value]) => `${name}: ${value}`),
  );
  say(`the page is ${join(page, 'index.html')}`);
  return { figures, violations };
};

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

async function corpus(office: Office, cache: string): Promise<FoundFile[]> {
  const packaged = (await Promise.all(PACKAGES.map((one) => filesOf(one, cache)))).flat();
  const about = {
    origin: `templates of LibreOffice (Debian: libreoffice-common), written by it as .pptx`,
    licence: 'MPL-2.0 and others, by file',
    notice: existsSync(NOTICE) ? readFileSync(NOTICE, 'utf8') : '',
  };
  const templates = office.templates().map(([name, bytes]) => ({ ...about, name, bytes }));
  return [...packaged, ...templates, ...(await ownFiles())];
}

async function judgeAll(
  found: readonly FoundFile[],
  office: Office,
  say: Say,
): Promise<{ files: JudgedFile[]; violations: string[] }> {
  const files: JudgedFile[] = [];
  const violations: string[] = [];
  say(`LibreOffice draws ${found.length} presentations`);
  const drawn = office.draw(found.map(({ bytes }) => bytes));
  for (const [index, { bytes, ...about }] of found.entries()) {
    try {
      const slides = await judge(bytes, drawn[index]!, drawn.at(index - 5)![0]!);
      files.push({ ...about, slides });
      for (const slide of slides) violations.push(...wrongWith(about.name, slide));
      say(`${about.name}: ${slides.map(({ similarity }) => similarity.toFixed(2)).join(' ')}`);
    } catch (error) {
      violations.push(`${about.name}: ${String(error)}`);
    }
  }
  return { files, violations };
}

/** A slide may look unlike LibreOffice's where its losses say what is missing from the picture. */
function wrongWith(name: string, slide: JudgedSlide): string[] {
  const { number, similarity, losses, missing, misplaced } = slide;
  const at = `${name}, slide ${number}`;
  const isNamed = losses.some(({ code }) => !UNSEEN.has(code));
  const isExplained = EXPLAINED[`${name} ${number}`] !== undefined;
  const isLow = similarity < SLIDE_MIN && !isNamed && !isExplained;
  return [
    ...(isLow ? [`${at}: similarity ${similarity.toFixed(2)}, and no loss says why`] : []),
    ...missing.map((text) => `${at}: "${text.slice(0, 60)}" is in neither deck nor losses`),
    ...misplaced.map((what) => `${at}: ${what}`),
  ];
}
