import { existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { inRepository } from '../../scripts/run/repository.ts';

/** Links what is installed into a copy of the tree; our own packages are those of the copy. */
export function linkModules(folder: string): void {
  mkdirSync(join(folder, 'node_modules/@pawl'), { recursive: true });
  const ours = new Set(['pawl', '@pawl']);
  for (const name of readdirSync(inRepository('node_modules')).filter((one) => !ours.has(one))) {
    symlinkSync(inRepository('node_modules', name), join(folder, 'node_modules', name));
  }
  symlinkSync(join(folder, 'packages/pawl'), join(folder, 'node_modules/pawl'));
  for (const name of readdirSync(join(folder, 'packages')).filter((one) => one !== 'pawl')) {
    symlinkSync(join(folder, 'packages', name), join(folder, 'node_modules/@pawl', name));
  }
  const bench = inRepository('bench/node_modules');
  const place = join(folder, 'bench');
  if (existsSync(bench) && existsSync(place)) symlinkSync(bench, join(place, 'node_modules'));
}
