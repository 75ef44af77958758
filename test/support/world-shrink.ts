/**
 * The shortest part of a failing sequence that still fails, found by leaving out ever smaller
 * pieces. `tries` bounds the work; what is left then is the answer.
 */
export async function shrink<Item>(
  items: readonly Item[],
  stillFails: (items: readonly Item[]) => Promise<boolean>,
  tries: number = 200,
): Promise<readonly Item[]> {
  let rest = items;
  let left = tries;
  for (let size = Math.ceil(rest.length / 2); size >= 1 && left > 0;) {
    let hasShrunk = false;
    for (let start = rest.length - size; start > -size && left > 0; start -= size) {
      const shorter = [...rest.slice(0, Math.max(0, start)), ...rest.slice(start + size)];
      left -= 1;
      if (!(await stillFails(shorter))) continue;
      rest = shorter;
      hasShrunk = true;
    }
    if (size === 1 && !hasShrunk) break;
    if (!hasShrunk || size > rest.length / 2) size = size === 1 ? 1 : Math.ceil(size / 2);
  }
  return rest;
}
