import { createHash } from 'node:crypto';
import type { Zippable } from 'fflate';
import type { Box, Deck, Group, Paragraph, Slide } from '../deck/deck.ts';
import { optionalPackage } from '../work/optional-package.ts';
import type { WrittenObject, WrittenSlide } from './pptx-slide.ts';
import { emu, fillXml } from './xml-look.ts';
import { paragraphXml } from './xml-text.ts';
import { element } from './xml.ts';

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
 * Puts the file together: native shapes, tables, charts and groups in the place of what the library
 * wrote, the theme's colours, the kinds of layouts and of subtitles, notes in paragraphs, and when
 * and by whom the file was made.
 */
export async function finishPptx(
  written: Uint8Array,
  deck: Deck,
  { slides, createdAt }: { slides: readonly WrittenSlide[]; createdAt: Date },
): Promise<Uint8Array> {
  const fflate = await optionalPackage('fflate', () => import('fflate'));
  const { strFromU8, strToU8, unzipSync, zipSync } = fflate;
  const files = unzipSync(written);
  const text = (path: string): string => strFromU8(files[path]!);
  const patch = (pattern: RegExp, change: Patch): void => {
    for (const path of Object.keys(files).filter((one) => pattern.test(one))) {
      files[path] = strToU8(change(text(path), path));
    }
  };
  patch(/^ppt\/theme\/theme\d+\.xml$/, (xml) => withColours(xml, deck));
  patch(/^ppt\/slideLayouts\/[^/]+\.xml$/, withLayoutType);
  patch(/^ppt\/(slides|slideLayouts)\/[^/]+\.xml$/, withSubtitles);
  const writtenOf = (path: string): WrittenSlide =>
    slides[Number(/(\d+)\.xml/.exec(path)![1]) - 1]!;
  patch(/^ppt\/slides\/[^/]+\.xml$/, (xml, path) => {
    const relations = path.replace('slides/', 'slides/_rels/').concat('.rels');
    const charts = chartPaths(files[relations] === undefined ? '' : text(relations));
    const slide = writtenOf(path);
    return withObjects(xml, slide, (object, id) => {
      const part = charts.get(id);
      if (part === undefined) return;
      const external = /<c:externalData.*<\/c:externalData>/s.exec(text(part))?.[0] ?? '';
      files[part] = strToU8(object.chart!(external));
    });
  });
  patch(/^ppt\/slides\/_rels\/[^/]+\.rels$/, (xml, path) => withLinks(xml, writtenOf(path)));
  patch(/^ppt\/notesSlides\/[^/]+\.xml$/, (xml, path) => withNotes(xml, writtenOf(path).slide));
  patch(/^docProps\/core\.xml$/, (xml) => withMaker(xml, createdAt));
  const twins = mediaTwins(files);
  patch(/\.rels$/, (xml) => withoutTwins(xml, twins));
  for (const twin of twins.keys()) delete files[`ppt/media/${twin}`];
  const mtime = new Date(Math.max(createdAt.getTime(), Date.UTC(1980, 0, 2)));
  const packed = Object.entries(files).map(([path, bytes]) => {
    // Pictures are packed as they are.
    return [path, [bytes, { level: path.startsWith('ppt/media/') ? 0 : 6 }]] as const;
  });
  return zipSync(Object.fromEntries(packed) as Zippable, { mtime });
}

/** The library writes a picture for each place where it is shown; each is kept once. */
function mediaTwins(files: Readonly<Record<string, Uint8Array>>): Map<string, string> {
  const first = new Map<string, string>();
  const twins = new Map<string, string>();
  for (const [path, bytes] of Object.entries(files)) {
    const [, name, extension] = /^ppt\/media\/(.+\.(\w+))$/.exec(path) ?? [];
    if (name === undefined) continue;
    const key = `${createHash('sha256').update(bytes).digest('hex')}.${extension}`;
    const known = first.get(key);
    if (known === undefined) first.set(key, name);
    else twins.set(name, known);
  }
  return twins;
}

function withoutTwins(relations: string, twins: ReadonlyMap<string, string>): string {
  return relations.replace(/(\/media\/)([^"]+)"/g, (_, folder: string, name: string) => {
    return `${folder}${twins.get(name) ?? name}"`;
  });
}

/** Where the charts of a slide lie, by the ids it uses for them. */
function chartPaths(relations: string): ReadonlyMap<string, string> {
  const found = relations.matchAll(/<Relationship [^>]*>/g);
  return new Map(
    [...found].flatMap(([one]) => {
      const [id, target] = ['Id', 'Target'].map(
        (name) => new RegExp(`${name}="([^"]*)"`).exec(one)?.[1],
      );
      const isChart = target?.includes('/charts/chart') === true;
      const path = target?.startsWith('/') === true ? target.slice(1) : `ppt/${target?.slice(3)}`;
      return id !== undefined && isChart ? [[id, path] as const] : [];
    }),
  );
}

const OBJECT = /<p:(sp|pic|graphicFrame|cxnSp)>.*?<\/p:\1>/gs;

/** The library's objects, each as the deck has it, in the groups that they belong to. */
function withObjects(
  xml: string,
  { slide, objects }: WrittenSlide,
  onChart: (object: WrittenObject, id: string) => void,
): string {
  const written = [...xml.matchAll(OBJECT)].map(([text]) => text);
  const first = xml.search(/<p:(?:sp|pic|graphicFrame|cxnSp)>/);
  const end = xml.indexOf('</p:spTree>');
  if (end < 0) return xml;
  const finished = objects.map((object, index) => {
    const chunk = written[index] ?? '';
    if (object.chart !== undefined)
      onChart(object, /<c:chart [^>]*r:id="([^"]*)"/.exec(chunk)?.[1] ?? '');
    return object.xml(chunk);
  });
  const tree = grouped(slide.groups ?? [], objects, finished);
  const whole = xml.slice(0, first < 0 ? end : first) + tree + xml.slice(end);
  return withBackground(whole, slide);
}

function withBackground(xml: string, { backgroundFill }: Slide): string {
  if (backgroundFill === undefined) return xml;
  const fill = `<p:bg><p:bgPr>${fillXml(backgroundFill)}<a:effectLst/></p:bgPr></p:bg>`;
  return xml.replace(/<p:bg>.*?<\/p:bg>/s, () => fill);
}

/** Objects one after the other, wrapped in their groups wherever these begin and end. */
function grouped(
  groups: readonly Group[],
  objects: readonly WrittenObject[],
  finished: readonly string[],
): string {
  const byId = new Map(groups.map((group) => [group.id, group]));
  const pathOf = (id: string | null): string[] => {
    const group = id === null ? undefined : byId.get(id);
    return group === undefined ? [] : [...pathOf(group.parent ?? null), group.id];
  };
  let open: string[] = [];
  let xml = '';
  objects.forEach(({ group }, index) => {
    const path = pathOf(group);
    const shared = open.findIndex((id, level) => path[level] !== id);
    const keep = shared < 0 ? open.length : shared;
    xml += '</p:grpSp>'.repeat(open.length - keep);
    for (const id of path.slice(keep))
      xml += groupXml(byId.get(id)!, membersOf(id, objects, pathOf));
    xml += finished[index]!;
    open = path;
  });
  return xml + '</p:grpSp>'.repeat(open.length);
}

function membersOf(
  id: string,
  objects: readonly WrittenObject[],
  pathOf: (id: string | null) => string[],
): Box[] {
  return objects.filter(({ group }) => pathOf(group).includes(id)).map(({ box }) => box);
}

const GROUP_IDS = 100_000;

function groupXml({ id, box, name }: Group, members: readonly Box[]): string {
  const [left, top] = [
    Math.min(...members.map(({ x }) => x)),
    Math.min(...members.map(({ y }) => y)),
  ];
  const around = {
    x: left,
    y: top,
    width: Math.max(...members.map(({ x, width }) => x + width)) - left,
    height: Math.max(...members.map(({ y, height }) => y + height)) - top,
  };
  const { x, y, width, height } = box ?? around;
  const [at, size] = [
    { x: emu(x), y: emu(y) },
    { cx: emu(width), cy: emu(height) },
  ];
  const place = element(
    'a:xfrm',
    {},
    element('a:off', at) + element('a:ext', size),
    element('a:chOff', at) + element('a:chExt', size),
  );
  let hash = 0;
  for (const letter of id) hash = (hash * 31 + letter.codePointAt(0)!) % 1_000_000;
  const facts = element('p:cNvPr', { id: GROUP_IDS + hash, name: name ?? id });
  const head = element('p:nvGrpSpPr', {}, facts, '<p:cNvGrpSpPr/><p:nvPr/>');
  return `<p:grpSp>${head}${element('p:grpSpPr', {}, place)}`;
}

function withLinks(xml: string, { links }: WrittenSlide): string {
  const type = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink';
  const added = [...links].map(([id, address]) =>
    element('Relationship', { Id: id, Type: type, Target: address, TargetMode: 'External' }),
  );
  return xml.replace('</Relationships>', () => `${added.join('')}</Relationships>`);
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

function withoutLinks(paragraph: Paragraph): Paragraph {
  const runs = paragraph.runs.map((run) => {
    const { link, ...rest } = run;
    return link === undefined ? run : rest;
  });
  return { ...paragraph, runs };
}

function withNotes(xml: string, { notes }: Slide): string {
  if (notes === undefined) return xml;
  // Notes have no links of their own: the words stay.
  const look = { size: () => 12, colour: null, bold: false, link: () => '' };
  const paragraphs = notes.map((one) => paragraphXml(withoutLinks(one), look)).join('');
  const body = `<p:txBody><a:bodyPr/><a:lstStyle/>${paragraphs}</p:txBody>`;
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
