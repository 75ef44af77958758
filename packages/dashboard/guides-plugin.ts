import { readFileSync } from 'node:fs';
import type { Plugin } from 'vite';
import { guidePaths } from '../../scripts/guides/pages.ts';
import { readGuide } from '../../scripts/guides/read-guide.ts';
import { inRepository } from '../../scripts/run/repository.ts';

const LIST = 'virtual:guides';
const ONE = 'virtual:guide/';

/** The guides of the repository, each a part of its own that is loaded when it is opened. */
export function guides(): Plugin {
  const paths = guidePaths();
  const names = new Set(paths.keys());
  return {
    name: 'guides',
    resolveId: (id) => (id === LIST || id.startsWith(ONE) ? `\0${id}` : null),
    load: (id) => {
      if (id === `\0${LIST}`) {
        const lines = [...names].map((name) => {
          const source = JSON.stringify(`${ONE}${name}`);
          return `${JSON.stringify(name)}: () => import(${source})`;
        });
        return `export const guides = {${lines.join(',\n')}};`;
      }
      if (!id.startsWith(`\0${ONE}`)) return null;
      const path = paths.get(id.slice(ONE.length + 1))!;
      const guide = readGuide(readFileSync(inRepository(path), 'utf8'), { path, names });
      return `export const guide = ${JSON.stringify(guide)};`;
    },
  };
}
