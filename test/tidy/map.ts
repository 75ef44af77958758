// ARCHITECTURE.md shows where things are: its map names every folder with a layer, by its number.
import { layers } from './layers.ts';

const folderLine = /^ {2}([\w/-]+)\/ +(\d) /;
const packageLine = /^packages\/([\w-]+)\/src\/(?: +(\d) .*)?$/;

/** What the map says: `pawl/store/sqlite` → 2. */
export function mapIn(text: string): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  let current = '';
  for (const line of text.split('\n')) {
    const [, name, number] = packageLine.exec(line) ?? [];
    if (name !== undefined) current = name;
    if (name !== undefined && number !== undefined) found.set(name, Number(number));
    const [, folder, layer] = folderLine.exec(line) ?? [];
    if (folder !== undefined && layer !== undefined)
      found.set(`${current}/${folder}`, Number(layer));
  }
  return found;
}

/** Folders below one that the map shows need no line of their own. */
export function mapProblems(text: string): string[] {
  const map = mapIn(text);
  const wrong = [...map].filter(([folder, layer]) => layers[folder] !== layer);
  const missing = Object.keys(layers).filter((folder) => {
    const [packageName = '', ...path] = folder.split('/');
    return (
      path.length === 1 && packageName !== 'studio' && packageName !== 'move' && !map.has(folder)
    );
  });
  return [
    ...wrong.map(([folder, layer]) => `ARCHITECTURE.md: ${folder} is not layer ${layer}`),
    ...missing.map((folder) => `ARCHITECTURE.md: the map does not show ${folder}`),
  ];
}
