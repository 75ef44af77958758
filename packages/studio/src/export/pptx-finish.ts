import type { Deck, Paragraph, Run, Slide } from '../deck/deck.ts';
import { optionalPackage } from '../work/optional-package.ts';

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** What PowerPoint calls our layouts. */
const LAYOUT_TYPES: Readonly<Record<string, string>> = {
  title: 'title',
  section: 'secHead',
  content: 'obj',
  columns: 'twoObj',
  blank: 'blank',
};

type Patch = (xml: string, path: string) => string;

/**
 * Puts right what the library has no words for: the theme's colours, the kinds of layouts and of
 * subtitles, notes in paragraphs, and when and by whom the file was made.
 */
export async function finishPptx(
  written: Uint8Array,
  deck: Deck,
  createdAt: Date,
): Promise<Uint8Array> {
  const fflate = await optionalPackage('fflate', () => import('fflate'));
  const { strFromU8, strToU8, unzipSync, zipSync } = fflate;
  const files = unzipSync(written);
  const patch = (pattern: RegExp, change: Patch): void => {
    for (const path of Object.keys(files).filter((one) => pattern.test(one))) {
      files[path] = strToU8(change(strFromU8(files[path]!), path));
    }
  };
  patch(/^ppt\/theme\/theme\d+\.xml$/, (xml) => withColours(xml, deck));
  patch(/^ppt\/slideLayouts\/[^/]+\.xml$/, withLayoutType);
  patch(/^ppt\/(slides|slideLayouts)\/[^/]+\.xml$/, (xml) => withParagraphs(withSubtitles(xml)));
  const slideOf = (path: string): Slide => deck.slides[Number(/(\d+)\.xml$/.exec(path)![1]) - 1]!;
  patch(/^ppt\/slides\/[^/]+\.xml$/, (xml, path) => withHeaders(xml, slideOf(path)));
  patch(/^ppt\/notesSlides\/[^/]+\.xml$/, (xml, path) => withNotes(xml, slideOf(path)));
  patch(/^docProps\/core\.xml$/, (xml) => withMaker(xml, createdAt));
  const mtime = new Date(Math.max(createdAt.getTime(), Date.UTC(1980, 0, 2)));
  return zipSync(files, { mtime, level: 6 });
}

function withColours(xml: string, { theme }: Deck): string {
  const { background, text, accents } = theme.colours;
  const scheme: Record<string, string> = { lt1: background, dk1: text };
  accents.forEach((colour, index) => (scheme[`accent${index + 1}`] = colour));
  return Object.entries(scheme).reduce(
    (patched, [name, colour]) =>
      patched.replace(
        new RegExp(`(<a:${name}>).*?(</a:${name}>)`, 's'),
        `$1<a:srgbClr val="${colour.slice(1)}"/>$2`,
      ),
    xml,
  );
}

function withLayoutType(xml: string): string {
  const name = /<p:cSld name="(\w+)"/.exec(xml)?.[1] ?? '';
  const type = LAYOUT_TYPES[name];
  return type === undefined ? xml : xml.replace(' preserve="1"', ` type="${type}" preserve="1"`);
}

function withSubtitles(xml: string): string {
  return xml.replaceAll(/(<p:ph\s+idx="\d+"\s+type=")body"/g, '$1subTitle"');
}

const INDENT_EMU = 285_750;

/** The library repeats a paragraph's properties before each run, where none may stand. */
function withParagraphs(xml: string): string {
  return xml
    .replaceAll(/(<\/a:r>|<a:br\/>)<a:pPr[^>]*>.*?<\/a:pPr>/gs, '$1')
    .replaceAll(
      / lvl="(\d)" indent="0" marL="0"/g,
      (_, level: string) => ` marL="${Number(level) * INDENT_EMU}" lvl="${level}" indent="0"`,
    );
}

function runXml(run: Run): string {
  const looks = [
    ...(run.bold === true ? [' b="1"'] : []),
    ...(run.italic === true ? [' i="1"'] : []),
    ...(run.underline === true ? [' u="sng"'] : []),
  ];
  return run.text
    .split('\n')
    .map((text) => `<a:r><a:rPr lang="en-US"${looks.join('')}/><a:t>${escaped(text)}</a:t></a:r>`)
    .join('<a:br/>');
}

function paragraphXml({ level, list, runs }: Paragraph): string {
  const bullets = {
    bullet: '<a:buChar char="&#x2022;"/>',
    number: '<a:buAutoNum type="arabicPeriod"/>',
  };
  const indent = list === undefined ? '' : ` marL="${(level + 1) * 228600}" indent="-228600"`;
  const properties = `<a:pPr lvl="${level}"${indent}>${list === undefined ? '' : bullets[list]}`;
  return `<a:p>${properties}</a:pPr>${runs.map(runXml).join('')}</a:p>`;
}

/** Tables in their order: their first rows are headers where the deck says so. */
function withHeaders(xml: string, { blocks }: Slide): string {
  const tables = blocks.filter((block) => block.kind === 'table' && block.rows.length > 0);
  let index = 0;
  return xml.replaceAll(/<a:tblPr\s*\/?>/g, (found) => {
    const table = tables[index++];
    const isHeader = table?.kind === 'table' && table.header;
    return isHeader ? found.replace('<a:tblPr', '<a:tblPr firstRow="1"') : found;
  });
}

function withNotes(xml: string, { notes }: Slide): string {
  if (notes === undefined) return xml;
  const body = `<p:txBody><a:bodyPr/><a:lstStyle/>${notes.map(paragraphXml).join('')}</p:txBody>`;
  return xml.replace(
    /(name="Notes Placeholder 2".*?)<p:txBody>.*?<\/p:txBody>/s,
    (_, before: string) => before + body,
  );
}

function withMaker(xml: string, createdAt: Date): string {
  const time = createdAt.toISOString().replace(/\.\d+Z$/, 'Z');
  return xml
    .replaceAll(/(<dcterms:\w+ [^>]*>)[^<]*/g, `$1${time}`)
    .replaceAll(/(<(?:dc:creator|cp:lastModifiedBy)>)[^<]*/g, '$1Pawl')
    .replace(/<dc:subject>[^<]*<\/dc:subject>/, '');
}
