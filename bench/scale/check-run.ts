// The model held against a real load: sizes of a call that nobody measured, and renewals beside.
import pg from 'pg';
import { setTimeout as pause } from 'node:timers/promises';
import { differenceOf, Lives } from '../costs/lives.ts';
import { read } from '../costs/gauge.ts';
import { engineOn } from '../costs/run.ts';
import { freshDatabase } from '../../test/support/postgres/fresh-database.ts';
import { eachOf, type Measured, type VerbCost, type WrittenVerb } from './measured.ts';

export interface CheckOptions {
  readonly rounds: number;
  /** Jobs in each call. */
  readonly batch: number;
  readonly roundsPerSecond: number;
}

export interface Checked {
  readonly figure: string;
  readonly predicted: number;
  readonly real: number;
}

const FIGURES: Readonly<Record<string, keyof VerbCost>> = {
  'write-ahead log, bytes': 'walBytes',
  'CPU of the server, ms': 'cpuMs',
  'transaction numbers': 'xids',
  'numbers of the log': 'logNumbers',
};

const VERBS: readonly WrittenVerb[] = ['enqueue', 'claim', 'renewal', 'complete'];

/** Of one job that is renewed once. */
export function predictedOf(measured: Measured, figure: keyof VerbCost, batch: number): number {
  const sum = VERBS.reduce((all, verb) => all + eachOf(measured.verbs[verb][figure], batch), 0);
  if (figure === 'cpuMs') return sum + measured.vacuum.cpuMs;
  return figure === 'walBytes' ? sum + measured.vacuum.walBytes : sum;
}

async function work(lives: Lives, { rounds, batch, roundsPerSecond }: CheckOptions) {
  const began = performance.now();
  const turn = { batch, jobs: batch };
  for (let round = 0; round < rounds; round++) {
    await lives.enqueue(turn);
    const claims = await lives.claim(turn);
    await lives.renew(claims, batch);
    await lives.complete(claims, batch);
    const due = began + ((round + 1) * 1_000) / roundsPerSecond;
    await pause(Math.max(0, due - performance.now()));
  }
}

/** Figures a job: what the model says, and what such a load really took. */
export async function checkModel(
  measured: Measured,
  server: { readonly url: string },
  options: CheckOptions,
): Promise<Checked[]> {
  const database = await freshDatabase(server);
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const { engine, store } = await engineOn(database);
  const lives = new Lives(engine);
  try {
    await work(lives, { ...options, rounds: 20, roundsPerSecond: Infinity });
    await client.query('CHECKPOINT');
    const before = await read(client);
    await work(lives, options);
    const used = differenceOf(before, await read(client), options.rounds * options.batch);
    const real = { ...used, cpuMs: used.serverCpuMs ?? NaN };
    return Object.entries(FIGURES).map(([figure, key]) => ({
      figure,
      predicted: predictedOf(measured, key, options.batch),
      real: real[key],
    }));
  } finally {
    await store.close();
    await client.end();
    await database.drop();
  }
}
