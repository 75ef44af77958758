// What a presentation says, read from its XML without any of the code that is judged.
import { strFromU8, unzipSync } from 'fflate';

export interface SourceSlide {
  /** The text of every run of the slide and of its charts and diagrams. */
  readonly runs: readonly string[];
  readonly notes: readonly string[];
  /** Where the outermost objects lie, in points: those that say so themselves. */
  readonly boxes: readonly SourceBox[];
  /** Sizes that runs say themselves, in points, with their text. */
  readonly sizes: readonly { readonly text: string; readonly size: number }[];
}

export interface SourceBox {
  readonly name: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const EMU = 12_700;

/** The slides of a file, in their order. */
export function slidesOf(bytes: Uint8Array): SourceSlide[] {
  const files = unzipSync(bytes);
  const text = (path: string): string => (files[path] === undefined ? '' : strFromU8(files[path]));
  const targets = (path: string): Map<string, string> => {
    const at = path.lastIndexOf('/');
    const relations = text(`${path.slice(0, at)}/_rels${path.slice(at)}.rels`);
    const pairs = [...relations.matchAll(/<Relationship\b[^>]*>/g)].map(([one]) => {
      const target = attribute(one, 'Target');
      const whole = target.startsWith('/')
        ? target.slice(1)
        : new URL(target, `file:///${path}`).pathname.slice(1);
      return [attribute(one, 'Id'), whole] as const;
    });
    return new Map(pairs);
  };
  const parts = targets('ppt/presentation.xml');
  const ids = [...text('ppt/presentation.xml').matchAll(/<p:sldId\b[^>]*r:id="([^"]+)"/g)];
  return ids.map(([, id]) => {
    const path = parts.get(id!)!;
    const xml = text(path).replaceAll(/<mc:Fallback>.*?<\/mc:Fallback>/gs, '');
    const others = [...targets(path).values()];
    const attached = others.filter((one) =>
      /\/(charts\/chart|diagrams\/data)[^/]*\.xml$/.test(one),
    );
    const notes = others.find((one) => /\/notesSlides\/[^/]+\.xml$/.test(one));
    return {
      runs: [...runsIn(xml), ...attached.flatMap((one) => runsIn(text(one)))],
      notes: notes === undefined ? [] : bodyRuns(text(notes)),
      boxes: boxesIn(xml),
      sizes: sizesIn(xml),
    };
  });
}

function attribute(tag: string, name: string): string {
  return plain(new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1] ?? '');
}

function plain(text: string): string {
  return text
    .replaceAll(/&#(x?)([0-9a-fA-F]+);/g, (_, x: string, digits: string) =>
      String.fromCodePoint(Number.parseInt(digits, x === '' ? 10 : 16)),
    )
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&apos;', "'")
    .replaceAll('&amp;', '&');
}

function runsIn(xml: string): string[] {
  return [...xml.matchAll(/<a:t>([^<]*)<\/a:t>/g)].map(([, text]) => plain(text!));
}

/** Notes without the number of the page and its header. */
function bodyRuns(xml: string): string[] {
  const shapes = [...xml.matchAll(/<p:sp>.*?<\/p:sp>/gs)].map(([one]) => one);
  return shapes.filter((one) => /<p:ph[^>]*type="body"/.test(one)).flatMap(runsIn);
}

function boxesIn(xml: string): SourceBox[] {
  const outer = xml.replaceAll(/<p:grpSp>.*<\/p:grpSp>/gs, '');
  const objects = outer.matchAll(/<p:(sp|pic|graphicFrame|cxnSp)>.*?<\/p:\1>/gs);
  return [...objects].flatMap(([one]) => {
    const off = /<a:off\b[^>]*>/.exec(one)?.[0];
    const ext = /<a:ext\b[^>]*cx="[^>]*>/.exec(one)?.[0];
    // A placeholder that nobody filled is only seen while editing.
    const isEmpty = one.includes('<p:ph') && !/<a:t>|<a:blip\b|graphicData/.test(one);
    if (off === undefined || ext === undefined || isEmpty) return [];
    const number = (tag: string, name: string): number => Number(attribute(tag, name)) / EMU;
    return {
      name: attribute(/<p:cNvPr\b[^>]*>/.exec(one)?.[0] ?? '', 'name'),
      x: number(off, 'x'),
      y: number(off, 'y'),
      width: number(ext, 'cx'),
      height: number(ext, 'cy'),
    };
  });
}

function sizesIn(xml: string): { text: string; size: number }[] {
  // Text that was shrunk to its box says the size that it would have.
  const shapes = xml.replaceAll(/<p:sp>.*?<\/p:sp>/gs, (one) =>
    one.includes('fontScale=') ? '' : one,
  );
  return [...shapes.matchAll(/<a:r>.*?<\/a:r>/gs)].flatMap(([run]) => {
    const size = Number(attribute(/<a:rPr\b[^>]*>/.exec(run)?.[0] ?? '', 'sz')) / 100;
    const text = runsIn(run).join('');
    return size > 0 && text.trim() !== '' ? [{ text, size }] : [];
  });
}
