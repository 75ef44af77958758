import { builtInLifecycles } from 'pawl/internal/lifecycles/built-in';
import { regressionSeeds } from '../../differential/regression-seeds.ts';
import { explainRace, type Race, runRace } from '../../differential/race.ts';
import { RowCoverage } from '../../support/world-rows.ts';
import { postgresServers } from '../../support/postgres/servers.ts';
import { inMemory } from '../../support/world.ts';
import { sqliteInline } from '../../support/world-stores.ts';
import { Checkpoint } from '../checkpoint.ts';
import { grouped, type Rung, type RungOptions, type RungReport, type Say } from '../figures.ts';
import { type Lane, openLane } from './lane.ts';

const VIOLATIONS_MAX = 5;
const TOLD_EVERY = 10_000;

/** Stores that run against the oracle side by side: all PostgreSQL servers are in one race. */
const FIELDS: Readonly<Record<string, () => Promise<readonly Lane[]>>> = {
  sqlite: async () => [{ ...sqliteInline, end: async () => undefined }],
  postgres: async () => Promise.all((await postgresServers()).map(openLane)),
};

/**
 * `--store sqlite|postgres --seeds 100 --steps 450 --from 1000 --every 25 --abreast 1 --minutes 10
 * --resume file`: so many operations of so many seeds; all rows are compared at every 25th. Of the
 * races on PostgreSQL several may be under way at once, each in databases of its own.
 */
export const runDifferential: Rung = (options, say) => new Campaign(options, say).run();

interface State {
  /** The next seed of each field, and the steps that each store has done. */
  next: Record<string, number>;
  compared: Record<string, number>;
  rows: Readonly<Record<string, number>>;
  violations: string[];
}

class Campaign {
  readonly #say: Say;
  readonly #fields: readonly string[];
  readonly #from: number;
  readonly #until: number;
  readonly #steps: number;
  readonly #every: number;
  readonly #abreast: number;
  readonly #isTimeLeft: () => boolean;
  readonly #checkpoint: Checkpoint<State>;
  readonly #coverage = new RowCoverage(builtInLifecycles);
  readonly #state: State;

  constructor(options: RungOptions, say: Say) {
    this.#say = say;
    const wanted = options.text('store') ?? '';
    this.#fields = Object.keys(FIELDS).filter((field) => field.includes(wanted));
    this.#from = options.number('from', 1_000);
    this.#until = this.#from + options.number('seeds', 50);
    this.#steps = options.number('steps', 450);
    this.#every = options.number('every', 25);
    this.#abreast = options.number('abreast', 1);
    this.#isTimeLeft = options.isTimeLeft();
    const settings = { from: this.#from, steps: this.#steps, every: this.#every };
    this.#checkpoint = new Checkpoint(options.text('resume'), settings);
    const fresh: State = { next: {}, compared: {}, rows: {}, violations: [] };
    this.#state = this.#checkpoint.read() ?? fresh;
    this.#coverage.add(this.#state.rows);
  }

  async run(): Promise<RungReport> {
    for (const field of this.#fields) await this.#runField(field);
    const { compared, violations } = this.#state;
    const figures: Record<string, string | number> = {};
    for (const [label, steps] of Object.entries(compared)) figures[`${label} = oracle`] = steps;
    figures['steps'] = Object.values(compared).reduce((sum, steps) => sum + steps, 0);
    figures['rows'] = this.#coverage.summary;
    figures['rows never taken'] = this.#coverage.missing.join('; ') || 'none';
    return { figures, violations };
  }

  async #runField(field: string): Promise<void> {
    const opening = Array.from({ length: this.#abreast }, () => FIELDS[field]!());
    const tracks = await Promise.all(opening);
    try {
      await this.#runOn(tracks, field);
    } finally {
      await Promise.all(tracks.flat().map((lane) => lane.end()));
    }
  }

  async #runOn(tracks: readonly (readonly Lane[])[], field: string): Promise<void> {
    const { next, violations } = this.#state;
    if (next[field] === undefined) {
      for (const old of regressionSeeds) await this.#race(old, tracks[0]!);
    }
    for (let seed = next[field] ?? this.#from; seed < this.#until; seed += tracks.length) {
      if (!this.#isTimeLeft() || violations.length >= VIOLATIONS_MAX) return;
      const steps = this.#steps;
      const races = tracks
        .slice(0, this.#until - seed)
        .map((lanes, index) => this.#race({ seed: seed + index, steps }, lanes));
      await Promise.all(races);
      next[field] = seed + races.length;
      this.#checkpoint.write({ ...this.#state, rows: this.#coverage.taken });
    }
  }

  async #race(run: Pick<Race, 'seed' | 'steps'>, lanes: readonly Lane[]): Promise<void> {
    const { compared, violations } = this.#state;
    const entrants = [
      { label: 'memory', open: inMemory, isTailPrompt: true },
      ...lanes.map((lane) => ({ ...lane, isTailPrompt: !lane.label.startsWith('postgres') })),
    ];
    const race = { ...run, entrants, fullEvery: this.#every };
    const found = await runRace(race, this.#coverage);
    if (found !== null) violations.push(await explainRace(race, found));
    for (const { label } of lanes) {
      const before = compared[label] ?? 0;
      const steps = before + (found?.step ?? run.steps);
      compared[label] = steps;
      if (Math.floor(before / TOLD_EVERY) === Math.floor(steps / TOLD_EVERY)) continue;
      this.#say(`${label}: ${grouped(steps)} steps, ${violations.length} violations`);
    }
  }
}
