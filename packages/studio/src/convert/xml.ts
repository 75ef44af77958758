import type { Element } from '@xmldom/xmldom';
import { optionalPackage } from '../work/optional-package.ts';
import { BOUNDS } from './bounds.ts';
import { corrupted, refuse } from './refusal.ts';

export type XmlElement = Element;

/** Parses a part of a document; refuses what could make a parser work without end. */
export type ParseXml = (bytes: Uint8Array, name: string) => XmlElement;

export async function openXml(): Promise<ParseXml> {
  const { DOMParser } = await optionalPackage('@xmldom/xmldom', () => import('@xmldom/xmldom'));
  return (bytes, name) => {
    const text = decode(bytes);
    checkShape(text, name);
    try {
      const parser = new DOMParser({
        locator: false,
        onError: (level, message) => {
          if (level !== 'warning') throw new Error(message.slice(0, 200));
        },
      });
      const root = parser.parseFromString(text, 'text/xml').documentElement;
      if (root === null) throw new Error('it has no element');
      return root;
    } catch (error) {
      throw corrupted(error, `the part ${name} is not XML`);
    }
  };
}

function decode(bytes: Uint8Array): string {
  const isWide =
    (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  const encoding = isWide ? (bytes[0] === 0xff ? 'utf-16le' : 'utf-16be') : 'utf-8';
  return new TextDecoder(encoding).decode(bytes);
}

/** Counts elements and depth before any of them is made. */
function checkShape(text: string, name: string): void {
  let depth = 0;
  let elements = 0;
  for (let at = text.indexOf('<'); at >= 0; at = text.indexOf('<', at + 1)) {
    const next = text[at + 1];
    if (next === '!') {
      if (text.startsWith('<![CDATA[', at) || text.startsWith('<!--', at)) {
        const end = text.indexOf(text[at + 2] === '-' ? '-->' : ']]>', at);
        if (end < 0) break;
        at = end;
        continue;
      }
      const what = `the part ${name} brings declarations of its own`;
      throw refuse('CONVERT_UNSAFE_CONTENT', what);
    }
    if (next === '/') depth--;
    else if (next !== '?') {
      elements++;
      const end = text.indexOf('>', at);
      if (end < 0) break;
      if (text[end - 1] !== '/') depth++;
    }
    if (depth > BOUNDS.xmlDepth || elements > BOUNDS.xmlElements) {
      throw refuse('CONVERT_TOO_LARGE', `the part ${name} has too many or too deep elements`);
    }
  }
}

/** The elements in an element, of one name without its prefix or of all. */
export function childrenOf(parent: XmlElement | null, name?: string): XmlElement[] {
  const found: XmlElement[] = [];
  for (let node = parent?.firstChild ?? null; node !== null; node = node.nextSibling) {
    if (node.nodeType !== 1) continue;
    const element = node as XmlElement;
    if (name === undefined || element.localName === name) found.push(element);
  }
  return found;
}

/** The first element along a path of names, or null. */
export function childAt(parent: XmlElement | null, ...path: string[]): XmlElement | null {
  return path.reduce<XmlElement | null>((at, name) => childrenOf(at, name)[0] ?? null, parent);
}

/** All elements of a name, however deep. */
export function descendantsOf(parent: XmlElement | null, name: string): XmlElement[] {
  return childrenOf(parent).flatMap((child) =>
    child.localName === name ? [child] : descendantsOf(child, name),
  );
}

/** An attribute by its name without its prefix, or null. */
export function attributeOf(element: XmlElement | null, name: string): string | null {
  if (element === null) return null;
  const { attributes } = element;
  for (let index = 0; index < attributes.length; index++) {
    const attribute = attributes.item(index);
    if (attribute !== null && (attribute.localName ?? attribute.name) === name) {
      return attribute.value;
    }
  }
  return null;
}

/** A whole number of an attribute, or what it is otherwise. */
export function numberOf(element: XmlElement | null, name: string, otherwise: number): number {
  const value = Number(attributeOf(element, name) ?? Number.NaN);
  return Number.isFinite(value) ? value : otherwise;
}
