import { claims, fillKey, inTurns, LIMITS, openEngine, turns } from './measure.ts';
import type { ControlOptions } from './options.ts';
import type { Field } from './site.ts';

/** Milliseconds by what was measured, the one that the others are compared with first. */
export type Times = ReadonlyMap<string, readonly number[]>;

export interface Result {
  readonly field: Pick<Field, 'name' | 'conditions'>;
  /** Of a claim of ten jobs of other keys, by how many wait at the full one. */
  readonly claims: Times;
  /** A job, of claim and completion. */
  readonly turns: Times;
}

export async function runAll(
  options: ControlOptions,
  say: (text: string) => void,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const store of options.stores) {
    say(`${store}: a full key with ${options.parked} jobs is made`);
    const open =
      store === 'sqlite'
        ? (await import('./sqlite-field.ts')).sqliteField
        : (await import('./postgres-field.ts')).postgresField;
    const field = await open(options.parked, fillKey);
    try {
      // What is cold is measured and thrown away.
      await runOne(field, { ...options, claims: 5, jobs: 200 });
      say(`${store}: measuring`);
      results.push(await runOne(field, options));
    } finally {
      await field.close();
    }
  }
  return results;
}

async function runOne(field: Field, options: ControlOptions): Promise<Result> {
  const empty = await openEngine(field.empty.store);
  const parked = await openEngine(field.parked.store);
  const ofClaims = await inTurns([
    await claims(empty, options.claims),
    await claims(parked, options.claims),
  ]);
  const limits = Object.keys(LIMITS);
  const samples = [];
  for (const limit of limits) samples.push(await turns(empty, limit, options.jobs));
  const ofTurns = await inTurns(samples);
  return {
    field,
    claims: named(['0', options.parked.toLocaleString('en')], ofClaims),
    turns: named(limits, ofTurns),
  };
}

function named(names: readonly string[], times: readonly (readonly number[])[]): Times {
  return new Map(names.map((name, index) => [name, times[index]!]));
}
