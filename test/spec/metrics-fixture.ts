// A world whose engine is counted, and a short way to ask for what was counted.
import { EngineMetrics } from '@pawl/server/internal/metrics/engine-metrics';
import { Meter } from '@pawl/server/internal/metrics/meter';
import { Engine } from 'pawl/internal/engine/engine';
import { openContext } from 'pawl/internal/engine/open-context';
import { seededIds } from 'pawl/internal/core/ids';
import { SeededRandom } from 'pawl/internal/core/random';
import { builtInLifecycles } from 'pawl/internal/lifecycles/built-in';
import { inSqlite } from '../support/in-sqlite.ts';
import { openWorld, World, type WorldOptions } from '../support/world.ts';

export interface Counted {
  readonly world: World;
  readonly meter: Meter;
  readonly metrics: EngineMetrics;
}

/** Another engine on the store of the first, as another process would have, which is counted. */
export async function openCounted(options: WorldOptions = {}): Promise<Counted> {
  const plain = await openWorld({ store: inSqlite, ...options });
  return countedOn(plain);
}

export function countedOn({ clock, random, store }: World): Counted {
  const meter = new Meter({ withProcess: false });
  const metrics = new EngineMetrics(meter);
  const lifecycles = builtInLifecycles;
  const ids = seededIds(clock, new SeededRandom(Math.floor(random.next() * 1e9)));
  const context = openContext({ store, lifecycles, random, ids, clock, observer: metrics });
  const engine = new Engine(context);
  return { world: new World({ clock, random, store, context, engine }), meter, metrics };
}

/** Samples by their text, `name{label="value"}`. */
export async function samplesOf(meter: Meter): Promise<Map<string, number>> {
  const lines = (await meter.scrape()).split('\n').filter((line) => /^[a-z]/.test(line));
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(' ');
      return [line.slice(0, at), Number(line.slice(at + 1))];
    }),
  );
}

/** The given samples; one that is not there is 0, as for every rate. */
export async function valuesOf(meter: Meter, names: readonly string[]): Promise<number[]> {
  const samples = await samplesOf(meter);
  return names.map((name) => samples.get(name) ?? 0);
}
