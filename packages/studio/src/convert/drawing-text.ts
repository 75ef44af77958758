import type { Paragraph, Run } from '../deck/deck.ts';
import { cleanText, tidyRuns } from '../deck/text.ts';
import { familyOf } from '../draw/face.ts';
import { fillColour, type Scheme } from './office-theme.ts';
import type { Relation } from './package.ts';
import { attributeOf, childAt, childrenOf, numberOf, type XmlElement } from './xml.ts';

/** What text of a shape is read with. */
export interface TextContext {
  readonly scheme: Scheme;
  readonly relations: ReadonlyMap<string, Relation>;
  /** List styles from the nearest to the farthest: the first that speaks of a level counts. */
  readonly listStyles: readonly (XmlElement | null)[];
}

const LEVEL_MAX = 8;

/** The paragraphs of a `txBody`. */
export function paragraphsOf(body: XmlElement | null, around: TextContext): Paragraph[] {
  const own = childAt(body, 'lstStyle');
  const listStyles = [own, ...around.listStyles];
  return childrenOf(body, 'p').map((paragraph) => {
    const properties = childAt(paragraph, 'pPr');
    const level = Math.min(LEVEL_MAX, Math.max(0, Math.trunc(numberOf(properties, 'lvl', 0))));
    const list = listOf(properties, level, listStyles);
    const align = alignOf(properties);
    const runs = tidyRuns(childrenOf(paragraph).flatMap((child) => runsOf(child, around)));
    return {
      level,
      ...(list === null ? {} : { list }),
      ...(align === null ? {} : { align }),
      runs,
    };
  });
}

type List = NonNullable<Paragraph['list']>;

/** Undefined where the properties are silent, null where they say that there is no list. */
function bulletOf(properties: XmlElement | null): List | null | undefined {
  for (const { localName } of childrenOf(properties)) {
    if (localName === 'buNone') return null;
    if (localName === 'buChar' || localName === 'buBlip') return 'bullet';
    if (localName === 'buAutoNum') return 'number';
  }
  return undefined;
}

function listOf(
  properties: XmlElement | null,
  level: number,
  styles: readonly (XmlElement | null)[],
): List | null {
  const levels = styles.map((style) => childAt(style, `lvl${level + 1}pPr`));
  for (const one of [properties, ...levels]) {
    const bullet = bulletOf(one);
    if (bullet !== undefined) return bullet;
  }
  return null;
}

function alignOf(properties: XmlElement | null): NonNullable<Paragraph['align']> | null {
  const align = attributeOf(properties, 'algn');
  return align === 'ctr' ? 'center' : align === 'r' ? 'right' : null;
}

function runsOf(element: XmlElement, around: TextContext): Run[] {
  switch (element.localName) {
    case 'br':
      return [{ text: '\n' }];
    case 'r':
    case 'fld':
      return [runOf(element, around)];
    default:
      return [];
  }
}

function isOn(element: XmlElement | null, name: string): boolean {
  const value = attributeOf(element, name);
  return value !== null && !['0', 'false', 'none', 'noStrike'].includes(value);
}

function runOf(element: XmlElement, { scheme, relations }: TextContext): Run {
  const properties = childAt(element, 'rPr');
  const text = childAt(element, 't')?.textContent ?? '';
  const colour = fillColour(childAt(properties, 'solidFill'), scheme);
  const link = linkOf(properties, relations);
  const font = attributeOf(childAt(properties, 'latin'), 'typeface');
  return {
    // A line feed in the text itself is what some programs write for a break.
    text: cleanText(text),
    ...(isOn(properties, 'b') ? { bold: true } : {}),
    ...(isOn(properties, 'i') ? { italic: true } : {}),
    ...(isOn(properties, 'u') && link === null ? { underline: true } : {}),
    ...(isOn(properties, 'strike') ? { strike: true } : {}),
    ...(font !== null && familyOf(font) === 'mono' ? { code: true } : {}),
    ...(colour === null || link !== null ? {} : { colour }),
    ...(link === null ? {} : { link }),
  };
}

function linkOf(
  properties: XmlElement | null,
  relations: ReadonlyMap<string, Relation>,
): string | null {
  const id = attributeOf(childAt(properties, 'hlinkClick'), 'id');
  const relation = id === null ? undefined : relations.get(id);
  return relation?.isExternal === true ? safeLink(relation.target) : null;
}

/** Links that may be followed from a deck; scripts and files may not. */
export function safeLink(target: string): string | null {
  const isSafe = /^(https?:\/\/|mailto:)[^\s\0]+$/i.test(target) && target.length <= 2_048;
  return isSafe ? target.replace(/^[A-Za-z]+/, (scheme) => scheme.toLowerCase()) : null;
}
