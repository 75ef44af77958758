import type { EndCount, EndQuery, EndSum, EndWrite, MeasureStore, Vitals } from '../measure.ts';
import { keyOf, type Tables } from './tables.ts';

/** The verbs over a transaction that the store begins and ends. */
export function measuresIn(
  transact: <Answer>(body: (tables: Tables) => Answer) => Promise<Answer>,
): MeasureStore {
  return {
    addEnds: (write) => transact((tables) => addEnds(tables, write)),
    endsReadTo: (reader) => transact((tables) => tables.endReaders.get(reader) ?? null),
    ends: (query) => transact((tables) => sumEnds(tables, query)),
    vitals: () => transact(vitalsOf),
  };
}

function addEnds(tables: Tables, write: EndWrite): boolean {
  const { reader, from, to, counts, forgetBefore } = write;
  if ((tables.endReaders.get(reader) ?? null) !== from) return false;
  tables.endReaders.set(reader, to);
  for (const one of counts) {
    const key = keyOf(one.tenant, one.grain, one.at, one.type, one.outcome, one.bin ?? '');
    const before = tables.ends.get(key)?.count ?? 0;
    tables.ends.set(key, { ...one, count: before + one.count });
  }
  for (const [key, { at, grain }] of tables.ends.entries()) {
    if (forgetBefore !== null && at < forgetBefore[grain]) tables.ends.delete(key);
  }
  return true;
}

function sumEnds(tables: Tables, { tenant, grain, since }: EndQuery): EndSum[] {
  const found = tables.ends
    .values()
    .filter(
      (one) => one.grain === grain && one.at >= since && (tenant === null || one.tenant === tenant),
    );
  const keyOfSum = ({ tenant: of, type, outcome, bin }: EndCount): string =>
    keyOf(of, type, outcome, bin ?? '');
  return [...Map.groupBy(found, keyOfSum).values()].map(summed);
}

function summed(all: readonly EndCount[]): EndSum {
  const { tenant, type, outcome, bin } = all[0]!;
  return { tenant, type, outcome, bin, count: all.reduce((sum, { count }) => sum + count, 0) };
}

function vitalsOf(tables: Tables): Vitals {
  const open = tables.deadLetters.values().filter(({ replayedAs }) => replayedAs === null);
  const deadLetters = [...Map.groupBy(open, ({ type }) => type)].map(([type, letters]) => ({
    type,
    count: letters.length,
  }));
  return { deadLetters, tailLagMs: 0, gauges: {} };
}
