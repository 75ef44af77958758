// What the entries of the packages export, with the comment of each name, read from the sources.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { inRepository } from '../run/repository.ts';

export interface Declaration {
  readonly name: string;
  readonly kind: string;
  /** From the root of the repository. */
  readonly path: string;
  /** The comment above it, in one line; empty where there is none. */
  readonly comment: string;
  /** Of an interface. */
  readonly members: readonly Member[];
}

export interface Member {
  readonly name: string;
  readonly type: string;
  readonly isOptional: boolean;
  readonly comment: string;
}

const KINDS = 'function|class|interface|type|const';
const COMMENT = String.raw`(\/\*\*(?:(?!\*\/)[\s\S])*\*\/\s)?`;
const MEMBER = new RegExp(String.raw`^\s*${COMMENT}\s*(?:readonly )?(\w+)(\??)(?=[:(<])([\s\S]*)$`);

function textOf(comment: string | undefined): string {
  return (comment ?? '')
    .replaceAll(/^\s*\/\*\*|\*\/\s*$/g, '')
    .replaceAll(/^\s*\* ?/gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** Members stand in lines of their own, two blanks in, as the formatter puts them. */
function membersOf(text: string): Member[] {
  const start = text.search(/ \{(?:\}|\n)/);
  const end = text.search(/^\}/m);
  if (start < 0 || text.startsWith(' {}', start) || end < start) return [];
  const parts = text.slice(start + 3, end).split(/(?<=;)\n(?= {2}(?:\/\*\*|\w|\[))/);
  return parts.flatMap((part) => {
    const [, comment, name, mark, type] = MEMBER.exec(part) ?? [];
    if (name === undefined) return [];
    const plain = type!.replace(/^: ?/, '').replace(/;\s*$/, '').replaceAll(/\s+/g, ' ');
    return [{ name, type: plain, isOptional: mark === '?', comment: textOf(comment) }];
  });
}

/** A name that a file declares, exported or not. */
export function declaredIn(path: string, name: string): Declaration | null {
  const text = readFileSync(inRepository(path), 'utf8');
  const form = `${COMMENT}(?:export )?(?:abstract )?(?:async )?(${KINDS}) ${name}\\b`;
  const found = [...text.matchAll(new RegExp(form, 'g'))];
  const first = found.find((one) => one[2] !== undefined);
  if (first === undefined) return null;
  const comment = found.map((one) => textOf(one[1])).find((one) => one !== '') ?? '';
  const rest = text.slice(first.index + (first[1]?.length ?? 0));
  const members = first[2] === 'interface' ? membersOf(rest) : [];
  return { name, kind: first[2]!, path, comment, members };
}

function fileOf(from: string, specifier: string): string | null {
  if (specifier.startsWith('.')) return join(dirname(from), specifier);
  const [, inner] = /^pawl\/internal\/(.*)$/.exec(specifier) ?? [];
  return inner === undefined ? null : `packages/pawl/src/${inner}.ts`;
}

const OWN = new RegExp(`^export (?:async |abstract )*(?:${KINDS}) (\\w+)`, 'gm');
const LISTED = /^export \{([^}]*)\};$/gm;
const IMPORTED = /^import \{([^}]*)\} from '([^']+)'/gm;
const PASSED_ON = /^export (?:type )?\{([^}]*)\} from '([^']+)'/gm;

function passedOn(list: string, file: string): Declaration[] {
  const all = exportsOf(file);
  return list.split(',').flatMap((part) => {
    const [name = '', as] = part
      .replace(/\btype /, '')
      .trim()
      .split(' as ');
    const found = all.find((one) => one.name === name);
    return found === undefined ? [] : [{ ...found, name: as ?? name }];
  });
}

/** `export { a, b };` of names that were imported. */
function listedIn(path: string, text: string): Declaration[] {
  const names = [...text.matchAll(LISTED)].flatMap(([, list]) => list!.split(','));
  const listed = new Set(names.map((name) => name.trim()));
  return [...text.matchAll(IMPORTED)].flatMap(([, list, specifier]) => {
    const wanted = list!.split(',').filter((name) => listed.has(name.trim()));
    const file = fileOf(path, specifier!);
    return file === null || wanted.length === 0 ? [] : passedOn(wanted.join(), file);
  });
}

/** Every name that a file exports, its own and those of other files. */
export function exportsOf(path: string): Declaration[] {
  const text = readFileSync(inRepository(path), 'utf8');
  const own = [...new Set([...text.matchAll(OWN)].map(([, name]) => name!))];
  const others = [...text.matchAll(/^export \* from '([^']+)'/gm)];
  const lists = [...text.matchAll(PASSED_ON)];
  return [
    ...own.flatMap((name) => declaredIn(path, name) ?? []),
    ...listedIn(path, text),
    ...others.flatMap(([, specifier]) => exportsOf(fileOf(path, specifier!)!)),
    ...lists.flatMap(([, list, specifier]) => {
      const file = fileOf(path, specifier!);
      return file === null ? [] : passedOn(list!, file);
    }),
  ];
}
