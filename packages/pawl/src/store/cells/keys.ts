import type { ClaimedJob } from '../claim.ts';
import type { Cell } from './cell.ts';

interface Keyed {
  readonly key?: string | undefined;
}

/** A job's number means something in its own database alone, so it travels with the cell's name. */
export function withCellKeys({ name }: Cell, jobs: readonly ClaimedJob[]): ClaimedJob[] {
  return jobs.map((job) => (job.key === undefined ? job : { ...job, key: `${name}:${job.key}` }));
}

/** What this cell may be shown of it: nothing where the job was claimed in another one. */
export function keyedFor<Item extends Keyed>({ name }: Cell, item: Item): Item {
  if (item.key === undefined) return item;
  const { key, ...rest } = item;
  const own = key.startsWith(`${name}:`) ? { key: key.slice(name.length + 1) } : {};
  return { ...rest, ...own } as unknown as Item;
}

export function withoutKey<Item extends Keyed>(item: Item): Item {
  const { key: _key, ...rest } = item;
  return rest as unknown as Item;
}

/**
 * Asks with the keys, and those that were missed without: a job that was moved away and back has
 * another number by now.
 */
export async function askWithKeys<Item extends Keyed, Answer>(
  cell: Cell,
  items: readonly Item[],
  on: {
    readonly ask: (items: readonly Item[]) => Promise<readonly Answer[]>;
    readonly isMiss: (answer: Answer) => boolean;
  },
): Promise<readonly Answer[]> {
  const keyed = items.map((item) => keyedFor(cell, item));
  const answers = [...(await on.ask(keyed))];
  const missed = [...answers.keys()].filter(
    (at) => keyed[at]!.key !== undefined && on.isMiss(answers[at]!),
  );
  if (missed.length === 0) return answers;
  const again = await on.ask(missed.map((at) => withoutKey(keyed[at]!)));
  missed.forEach((at, index) => (answers[at] = again[index]!));
  return answers;
}
