import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { say } from '../harness/results.ts';
import type { Costs } from './run.ts';

const FILE = new URL('../results/costs.generated.json', import.meta.url);

/** Four significant figures: more is noise. */
function rounded(_: string, value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toPrecision(4)) : value;
}

/** Keeps the figures for what is calculated from them. */
export function keepCosts(costs: Costs): void {
  writeFileSync(FILE, `${JSON.stringify(costs, rounded, 2)}\n`);
  say('written to bench/results/costs.generated.json');
}

/** The figures of the last `npm run bench:costs`. */
export function lastCosts(): Costs {
  if (!existsSync(FILE)) throw new Error('no costs were measured: run `npm run bench:costs`');
  return JSON.parse(readFileSync(FILE, 'utf8')) as Costs;
}
