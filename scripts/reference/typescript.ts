import { globSync, readFileSync } from 'node:fs';
import { inRepository, repositoryFolder } from '../run/repository.ts';
import { sourcePaths } from '../run/own-sources.ts';
import { type Declaration, exportsOf } from './declarations.ts';
import { EXAMPLES } from './examples.ts';
import { code, madeOf, table } from './table.ts';

const INTRODUCTION = `\
Every name that the packages export, by entry, with what it is for and an example: a line of code
that the tests compile, or a link to a guide, an example or a source of Pawl that uses it. The
options of each function are in [options](options.md). \`pawl/eslint\` exports a plug-in for ESLint
as its default: [flows](../guides/learn/flows.md) show it.`;

/** What each entry is for, in the order of the page. */
const ENTRIES: Readonly<Record<string, string>> = {
  pawl: 'Define jobs, open Pawl in a program, enqueue and follow jobs.',
  'pawl/client': 'Enqueue and follow jobs of a server over HTTP; also in browsers.',
  'pawl/testing': 'Test handlers in memory, with a clock that the test moves.',
  'pawl/tx': 'Enqueue in a transaction of an ORM or another driver.',
  'pawl/codec': 'Encrypt payloads before they leave the process.',
  'pawl/define': 'Define jobs without loading the engine, for modules of plug-ins and handlers.',
  'pawl/plugin': 'Write plug-ins: routes, records, followers, duties, settings.',
  'pawl/cli': 'Write commands that join `pawl`.',
  '@pawl/server': 'Serve the API and the dashboard from a program.',
  '@pawl/server/outgoing': 'The HTTP client that refuses private addresses.',
  '@pawl/ogc': 'OGC API – Processes, as a plug-in.',
  '@pawl/studio': 'The built-in job types, as a plug-in.',
  '@pawl/move': 'Move jobs out of other queues from a program.',
  'create-pawl': 'Create a project from a program; `npm create pawl` is the command.',
};

export interface Entry {
  readonly name: string;
  readonly sentence: string;
  readonly declarations: readonly Declaration[];
}

export function entries(): Entry[] {
  return Object.entries(ENTRIES).map(([name, sentence]) => {
    const all = exportsOf(sourcePaths.get(name)!);
    const unique = new Map(all.map((one) => [one.name, one]));
    const sorted = [...unique.values()].toSorted((one, other) => (one.name < other.name ? -1 : 1));
    return { name, sentence, declarations: sorted };
  });
}

const USED = /import (?:type )?\{([^}]*)\} from '((?:pawl|@pawl\/)[\w/]*)'/g;

/** Where names are looked for: what is written for readers comes first. */
const PLACES = [
  'docs/guides/**/*.md',
  'examples/**/*.ts',
  'packages/{ogc,studio,move,server}/src/**/*.ts',
];

function filesIn(pattern: string): string[] {
  const found = globSync(pattern, { cwd: repositoryFolder, exclude: ['**/node_modules/**'] });
  return found.map((path) => path.replaceAll('\\', '/')).toSorted();
}

/** Where a name is first imported: `pawl defineJob` → link. */
function uses(): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const path of PLACES.flatMap(filesIn)) {
    const text = readFileSync(inRepository(path), 'utf8');
    const title = /^# (.*)$/m.exec(text)?.[1];
    const label = path.endsWith('.md') ? title! : path.replace(/^(?:examples|packages)\//, '');
    const link = `[${label}](../../${path})`.replace('../../docs/', '../');
    for (const [, names, entry] of text.matchAll(USED)) {
      for (const name of names!.split(',')) {
        const key = `${entry} ${name.replace(/\btype /, '').trim()}`;
        if (!found.has(key)) found.set(key, link);
      }
    }
  }
  return found;
}

/** An example of every name, by entry and name; names of several entries need one only. */
export function examples(): ReadonlyMap<string, string> {
  const used = uses();
  const written = new Map(Object.entries(EXAMPLES).map(([name, text]) => [name, code(text)]));
  const found = new Map<string, string>();
  for (const { name: entry, declarations } of entries()) {
    for (const { name } of declarations) {
      const own = used.get(`${entry} ${name}`) ?? written.get(name);
      const other = Object.keys(ENTRIES).map((one) => used.get(`${one} ${name}`));
      const example = own ?? other.find((link) => link !== undefined);
      if (example !== undefined) found.set(`${entry} ${name}`, example);
    }
  }
  return found;
}

/** docs/reference/typescript.md, whole. */
export function typescriptPage(): string {
  const shown = examples();
  return [
    '# TypeScript',
    '',
    madeOf('the comments of the sources'),
    '',
    INTRODUCTION,
    '',
    ...entries().flatMap(({ name, sentence, declarations }) => [
      `## ${name}`,
      '',
      sentence,
      '',
      ...table(
        ['name', 'kind', 'what it is for', 'example'],
        declarations.map((one) => [
          code(one.name),
          one.kind,
          one.comment,
          shown.get(`${name} ${one.name}`) ?? '',
        ]),
      ),
      '',
    ]),
  ].join('\n');
}
