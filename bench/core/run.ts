import { systemClock } from 'pawl/internal/core/clock';
import { builtInLifecycles } from 'pawl/internal/lifecycles/built-in';
import { MemoryStore } from 'pawl/internal/store/memory/store';
import { engineContender } from './engine-contender.ts';
import type { Field } from './field.ts';
import { measure } from './measure.ts';
import type { BenchOptions } from './options.ts';
import { reportOf, type Result } from './report.ts';

type Say = (text: string) => void;

/** Measures every store that was asked for, one after the other, and tells it as Markdown. */
export async function runBenchmark(options: BenchOptions, say: Say): Promise<string> {
  const results: Result[] = [];
  for (const name of options.stores) {
    const field = await openField(name, options.rows, say);
    try {
      const contenders = field.contenders.filter(({ label }) => label.includes(options.only ?? ''));
      const measured = await measure(contenders, options.workload, say);
      results.push({ field, measured });
    } finally {
      await field.close();
    }
  }
  return reportOf(results, options);
}

async function openField(
  name: BenchOptions['stores'][number],
  rows: number,
  say: Say,
): Promise<Field> {
  if (name === 'sqlite') return (await import('./sqlite-field.ts')).sqliteField(rows, say);
  if (name === 'postgres') return (await import('./postgres-field.ts')).postgresField(rows, say);
  const store = new MemoryStore({ lifecycles: builtInLifecycles, clock: systemClock });
  const contender = await engineContender(store, { label: 'engine', rows: 0 });
  const close = (): Promise<void> => contender.close();
  return { name: 'Memory', conditions: ['keeps nothing'], contenders: [contender], close };
}
