import { inTurns } from '../harness/turns.ts';
import { median } from '../harness/statistics.ts';
import { Lived } from './life.ts';
import type { GrowthOptions, Lives } from './options.ts';
import { type Field, type Site, SPARE_SLICES, stocksOf } from './site.ts';

/** Of one database: the median of the calls of each repeat, ms, by verb. */
export interface Grown {
  readonly site: Omit<Site, 'store'>;
  readonly verbs: ReadonlyMap<string, readonly number[]>;
}

export interface Result {
  readonly field: Pick<Field, 'name' | 'conditions'>;
  readonly grown: readonly Grown[];
}

type Say = (text: string) => void;

/** One store after the other, so that each has the machine. */
export async function runGrowth(options: GrowthOptions, say: Say): Promise<Result[]> {
  const results: Result[] = [];
  for (const store of options.stores) {
    const open =
      store === 'sqlite'
        ? (await import('./sqlite-field.ts')).sqliteField
        : (await import('./postgres-field.ts')).postgresField;
    const field = await open(stocksOf(options), say);
    try {
      const grown = await measure(field, options, (text) => say(`${store}: ${text}`));
      results.push({ field, grown });
    } finally {
      await field.close();
    }
  }
  return results;
}

const WARM_UP: Omit<Lives, 'batchSize'> = { single: 3, batch: 2, looks: 2, purges: SPARE_SLICES };

async function measure(
  { sites }: Field,
  { lives, repeats }: GrowthOptions,
  say: Say,
): Promise<Grown[]> {
  const grown: { site: Site; lived: Lived; verbs: Map<string, number[]> }[] = [];
  for (const site of sites) grown.push({ site, lived: await Lived.open(site), verbs: new Map() });
  await playAll(
    grown.map(({ lived }) => lived),
    { ...lives, ...WARM_UP },
  );
  for (let repeat = 0; repeat < repeats; repeat++) {
    say(`repeat ${repeat + 1} of ${repeats}`);
    const heard = grown.map(() => new Map<string, number[]>());
    for (const [index, { lived }] of grown.entries()) lived.tell(gatherInto(heard[index]!));
    const turned = grown.map((_, index) => grown[(index + repeat) % grown.length]!.lived);
    await playAll(turned, lives);
    for (const [index, { verbs }] of grown.entries()) {
      const gather = gatherInto(verbs);
      for (const [verb, times] of heard[index]!) gather(verb, median(times));
    }
  }
  return grown;
}

/** Single calls and large ones apart, and the databases in turns within each. */
async function playAll(all: readonly Lived[], lives: Lives): Promise<void> {
  await inTurns(all, lives.single, (one) => one.write(1));
  await inTurns(all, lives.batch, (one) => one.write(lives.batchSize));
  await inTurns(all, lives.looks, (one) => one.look());
  await inTurns(all, lives.purges, (one) => one.purge());
}

function gatherInto(verbs: Map<string, number[]>): (verb: string, ms: number) => void {
  return (verb, ms) => {
    const times = verbs.get(verb);
    if (times === undefined) verbs.set(verb, [ms]);
    else times.push(ms);
  };
}
