// Everything that a store holds, in an order and a form that do not depend on the store.
import type { Job, JobRef } from 'pawl/internal/core/job';
import type { JobEvent } from 'pawl/internal/core/event';
import type { DeadLetter } from 'pawl/internal/records/dead-letters';
import type { TailItem } from 'pawl/internal/store/query';
import type { TypeRecord } from 'pawl/internal/records/job-types';
import type { Contestant } from './contestant.ts';
import { TENANTS } from './scene.ts';

/** Small, so that every look goes over the edges of several pages. */
const PAGE = 23;
const ALL = 100_000;

export interface Rows {
  readonly jobs: readonly Job[];
  readonly letters: readonly DeadLetter[];
}

/** Jobs and dead letters as they are, page by page. */
async function readRows(contestant: Contestant, limit: number = PAGE): Promise<Rows> {
  const { store } = contestant;
  const jobs: Job[] = [];
  for (const tenant of TENANTS) {
    for (let before: string | undefined; ;) {
      const page = await store.list({ tenant, limit, ...(before && { before }) });
      jobs.push(...page.jobs);
      if (!page.hasMore) break;
      before = page.jobs.at(-1)!.id;
    }
  }
  return { jobs, letters: await readLetters(contestant) };
}

async function readLetters({ engine }: Contestant): Promise<DeadLetter[]> {
  const letters: DeadLetter[] = [];
  for (const tenant of TENANTS) {
    const found = await engine.deadLetters({ tenant, limit: ALL });
    if (found.some((letter, index) => index > 0 && letter.id >= found[index - 1]!.id)) {
      throw new Error('dead letters are not in the order of descending ids');
    }
    letters.push(...found.toSorted((one, other) => (one.jobId < other.jobId ? -1 : 1)));
  }
  return letters;
}

/** The same at once, for the next choice. */
export function readScene(oracle: Contestant): Promise<Rows> {
  return readRows(oracle, ALL);
}

/** What an operation has changed, as far as the oracle's rows tell. */
export interface Touched {
  readonly jobs: readonly JobRef[];
  readonly letters: boolean;
}

/** The oracle never changes a row in place, so what is the same object is the same. */
export function touchedBetween(before: Rows, after: Rows): Touched {
  const known = new Set<unknown>([...before.jobs, ...before.letters]);
  return {
    jobs: after.jobs.filter((job) => !known.has(job)).map(({ tenant, id }) => ({ tenant, id })),
    letters: after.letters.some((letter) => !known.has(letter)),
  };
}

/** What is compared after every step: what was touched. */
export async function quickSnapshot(contestant: Contestant, touched: Touched): Promise<unknown> {
  if (touched.jobs.length === 0 && !touched.letters) return null;
  const jobs = await contestant.store.read(touched.jobs);
  const letters = touched.letters ? await readLetters(contestant) : [];
  return contestant.normal({ jobs, letters });
}

/**
 * All rows, touched or not, how many jobs stand where, the types, and the events, notes and kept
 * stages of some jobs, or of all.
 */
export async function fullSnapshot(
  contestant: Contestant,
  some: readonly JobRef[] | 'all',
): Promise<unknown> {
  const { store } = contestant;
  const rows = await readRows(contestant);
  const refs = some === 'all' ? rows.jobs : some;
  const histories: unknown[] = [];
  for (const ref of refs) histories.push(await historyOf(contestant, ref));
  const types: TypeRecord[] = [];
  for (const tenant of [...TENANTS, '*']) {
    types.push(...(await contestant.engine.types.list(tenant)));
  }
  const named = sortedByText(types, ['tenant', 'type']);
  const tally = sortedByText(await store.tally(null));
  return contestant.normal({ ...rows, tally, histories, types: named });
}

async function historyOf(contestant: Contestant, { tenant, id }: JobRef): Promise<unknown> {
  const [stages, events] = await Promise.all([
    contestant.store.stages({ tenant, id }),
    eventsOf(contestant, { tenant, id }),
  ]);
  return { id, stages: stages.toSorted((one, other) => (one.name < other.name ? -1 : 1)), events };
}

async function eventsOf(
  { store }: Contestant,
  ref: { tenant: string; id: string },
): Promise<JobEvent[]> {
  const events: JobEvent[] = [];
  for (let after: { version: number; note: number } | null = null; ;) {
    const page = await store.events({ ...ref, after, limit: PAGE, notes: true });
    events.push(...page.events);
    if (!page.hasMore) return events;
    after = { version: events.at(-1)!.version, note: events.at(-1)!.note };
  }
}

/** Follows the firehose from the start and remembers what came. */
export class Follower {
  readonly #contestant: Contestant;
  readonly #seen = new Set<string>();
  #cursor: string | null = null;

  constructor(contestant: Contestant) {
    this.#contestant = contestant;
  }

  get count(): number {
    return this.#seen.size;
  }

  /** What is new since the last time, as a set. */
  async news(): Promise<readonly unknown[]> {
    const items: TailItem[] = [];
    for (;;) {
      const from: { cursor: string } | 'start' =
        this.#cursor === null ? 'start' : { cursor: this.#cursor };
      const page = await this.#contestant.store.tail({ tenant: null, from, limit: PAGE });
      if (page.isReset) throw new Error('the tail was reset');
      this.#cursor = page.cursor;
      if (page.items.length === 0) break;
      items.push(...page.items);
    }
    for (const { event } of items) {
      const key = [event.tenant, event.jobId, event.version, event.note].join('/');
      if (this.#seen.has(key)) throw new Error(`the tail showed ${key} twice`);
      this.#seen.add(key);
    }
    return sortedByText(items.map((item) => ({ ...item, cursor: null })));
  }
}

function sortedByText<Item>(items: readonly Item[], names?: readonly (keyof Item)[]): Item[] {
  const text = (item: Item): string =>
    JSON.stringify(names === undefined ? sortedMembers(item) : names.map((name) => item[name]));
  return items
    .map((item) => ({ item, key: text(item) }))
    .sort((one, other) => (one.key < other.key ? -1 : 1))
    .map(({ item }) => item);
}

function sortedMembers(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return entries.map(([name, member]) => [name, sortedMembers(member)]);
}
