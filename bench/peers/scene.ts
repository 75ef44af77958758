import type { Contender } from './contenders.ts';
import type { Plot } from './grounds.ts';
import type { Place, Rules } from './product.ts';
import { Station } from './station.ts';
import type { Timed } from './wire.ts';

/** How much is measured. */
export interface Sizes {
  /** Jobs that are drained. */
  readonly jobs: number;
  /** The same for those whose settings make them slow. */
  readonly jobsSlow: number;
  /** How long single calls are made, and how long jobs come at a pace. */
  readonly singlesMs: number;
  /** Jobs that are sent one after the other at idle. */
  readonly latencyJobs: number;
  /** Whoever has not drained by then is stopped; the slowest after half of it. */
  readonly capMs: number;
}

/** One contender on a fresh database. */
export interface Scene {
  readonly contender: Contender;
  readonly plot: Plot;
  readonly sizes: Sizes;
}

/** What one contender reached in one row of one repeat. */
export interface Readings {
  readonly values: Readonly<Record<string, number>>;
  /** Those of them that are of somebody who was stopped before being through. */
  readonly capped: readonly string[];
}

export const PLAIN: Rules = { isRetried: false, isKeyed: false };

export function placeOf({ contender, plot }: Scene, rules: Rules): Place {
  const { product, keyedSettings } = contender;
  const settings = (rules.isKeyed ? keyedSettings : undefined) ?? contender.settings;
  return { product, settings, url: plot.url, rules, node: contender.node ?? [] };
}

export function jobsOf({ contender, sizes }: Scene): number {
  return contender.isSlow === true ? sizes.jobsSlow : sizes.jobs;
}

/** How long a drain may take. */
export function capMsOf({ contender, sizes }: Scene): number {
  return contender.isSlow === true ? sizes.capMs / 2 : sizes.capMs;
}

/** One process owns Pawl's file, so whoever produces while it works does so inside it. */
export function isOneProcess({ product, ground }: Contender): boolean {
  return product === 'pawl' && ground === 'sqlite';
}

/** Processes of one scene: whoever was opened is closed at its end, however that was. */
export class Cast {
  readonly #stations: Station[] = [];
  readonly #place: Place;

  constructor(scene: Scene, rules: Rules = PLAIN) {
    this.#place = placeOf(scene, rules);
  }

  async open(): Promise<Station> {
    const station = await Station.open(this.#place);
    this.#stations.push(station);
    return station;
  }

  async close(): Promise<void> {
    await Promise.all(this.#stations.splice(0).map((station) => station.close()));
  }
}

export function rateOf({ jobs, ms }: Timed): number {
  return (jobs * 1_000) / ms;
}

/** The rate of a drain, as the only thing that was measured. */
export function drainedAs(measure: string, drained: Timed & { isCapped: boolean }): Readings {
  return { values: { [measure]: rateOf(drained) }, capped: drained.isCapped ? [measure] : [] };
}
