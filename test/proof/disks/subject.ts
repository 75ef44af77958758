// `subject.ts <folder> <shim page> <names…>`: plays the variants of these names, or all, on the
// disk of this process, and prints a line of JSON for each. Started by play.ts.
import { Shim } from '../fleet/shim.ts';
import { DISK_FAULTS } from './disk.ts';
import { FLIPS } from './flips.ts';
import { momentsOf } from './moments.ts';

const [folder = '', page = '', ...names] = process.argv.slice(2);
const shim = new Shim('', page);
const all = [...DISK_FAULTS.flatMap(momentsOf), ...FLIPS];
for (const { name, run } of all) {
  if (names.length > 0 && !names.includes(name)) continue;
  const found = await run({ folder, shim }).catch((error: unknown) => [String(error)]);
  process.stdout.write(`${JSON.stringify({ name, found })}\n`);
}
shim.close();
