// The page that shows source and deck side by side.
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXPLAINED } from './explained.ts';
import type { JudgedSlide } from './judge.ts';

export interface JudgedFile {
  readonly name: string;
  readonly origin: string;
  readonly licence: string;
  readonly notice: string;
  readonly slides: readonly JudgedSlide[];
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

const STYLE = `
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  body { margin: 0 auto; max-width: 80rem; padding: 1rem; }
  .slide { display: grid; grid-template-columns: 1fr 1fr; gap: 0.5rem; margin: 1rem 0 2rem; }
  .slide > p { grid-column: 1 / -1; margin: 0; }
  img { width: 100%; border: 1px solid #8888; }
  .low { color: #c2410c; font-weight: 600; }
  @media (max-width: 40rem) { .slide { grid-template-columns: 1fr; } }
  @media (prefers-color-scheme: dark) { .low { color: #fb923c; } }
`;

/** Writes `index.html` and its pictures. */
export function writePage(
  folder: string,
  files: readonly JudgedFile[],
  summary: readonly string[],
): void {
  mkdirSync(join(folder, 'pictures'), { recursive: true });
  const sections = files.map((file, index) => section(file, index, folder));
  const notices = new Map(
    files.map(({ origin, licence, notice }) => [origin, { licence, notice }]),
  );
  const licences = [...notices].map(([origin, { licence, notice }]) => {
    const head = `<summary>${escaped(origin)}: ${escaped(licence)}</summary>`;
    return `<details>${head}<pre>${escaped(notice)}</pre></details>`;
  });
  const html = `<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><title>Sources and decks</title>
<style>${STYLE}</style><h1>Sources and decks</h1>
<p>On the left how LibreOffice draws the source, on the right the preview of the deck.</p>
<ul>${summary.map((line) => `<li>${escaped(line)}</li>`).join('')}</ul>
${sections.join('\n')}<h2>Licences</h2>${licences.join('\n')}</html>`;
  writeFileSync(join(folder, 'index.html'), html);
}

function section({ name, origin, slides }: JudgedFile, index: number, folder: string): string {
  const shown = slides.map((slide) => {
    const stem = `${String(index + 1).padStart(2, '0')}-${String(slide.number).padStart(2, '0')}`;
    copyFileSync(slide.reference, join(folder, 'pictures', `${stem}.png`));
    writeFileSync(join(folder, 'pictures', `${stem}.jpg`), slide.drawn);
    const low = slide.similarity < 0.6 ? ' class="low"' : '';
    const said = [
      ...slide.losses.map(({ code, what, text }) => `${code}: ${what}${text ? ` (${text})` : ''}`),
      ...[EXPLAINED[`${name} ${slide.number}`]].filter((one) => one !== undefined),
      ...slide.missing.map((text) => `missing text: ${text}`),
      ...slide.misplaced,
    ];
    return `<div class="slide"><p${low}>Slide ${slide.number}: ${slide.similarity.toFixed(2)}</p>
<img loading="lazy" alt="by LibreOffice" src="pictures/${stem}.png">
<img loading="lazy" alt="the deck" src="pictures/${stem}.jpg">
<p>${said.map(escaped).join('<br>')}</p></div>`;
  });
  return `<h2>${escaped(name)}</h2><p>${escaped(origin)}</p>${shown.join('\n')}`;
}
