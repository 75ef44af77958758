// The names that a module gives away, read from its text: types are gone when it runs.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface ExportedName {
  readonly name: string;
  readonly isType: boolean;
}

const LIST = /^export (type )?\{([^}]*)\}/gm;
const DECLARED =
  /^export (?:abstract )?(?:async )?(const|let|function\*?|class|interface|type) (\w+)/gm;
const ALL_OF = /^export \* from '(\.[^']+)';/gm;

/** Those of its own text: in lists, by the name that users see, and where they are declared. */
export function namesIn(text: string): ExportedName[] {
  const listed = [...text.matchAll(LIST)].flatMap(([, areTypes, list = '']) =>
    list.split(',').flatMap((one) => {
      const [, isType, name] = /^\s*(type )?(?:\w+ as )?(\w+)\s*$/.exec(one) ?? [];
      return name === undefined ? [] : [{ name, isType: (areTypes ?? isType) !== undefined }];
    }),
  );
  const declared = [...text.matchAll(DECLARED)].map(([, kind, name]) => ({
    name: name!,
    isType: kind === 'interface' || kind === 'type',
  }));
  return [...listed, ...declared];
}

/** Those of a file, with what it passes on of others. */
export function exportedBy(path: string): ReadonlySet<string> {
  const text = readFileSync(path, 'utf8');
  const passedOn = [...text.matchAll(ALL_OF)].flatMap(([, other]) => [
    ...exportedBy(join(dirname(path), other!)),
  ]);
  return new Set([...namesIn(text).map(({ name }) => name), ...passedOn]);
}
