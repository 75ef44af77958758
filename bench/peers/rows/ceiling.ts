import { rateOf, type Readings, type Scene } from '../scene.ts';
import { drainPostgresBare } from '../ceiling/postgres.ts';
import { drainSqliteBare } from '../ceiling/sqlite.ts';

/** What the database alone can do: Pawl's own statements, with nothing of Pawl around them. */
export async function playCeiling(scene: Scene): Promise<Readings> {
  const { jobs } = scene.sizes;
  const { url } = scene.plot;
  const drained =
    scene.contender.ground === 'sqlite'
      ? await drainSqliteBare(url, jobs)
      : await drainPostgresBare(scene.plot, jobs);
  return { values: { 'raw SQL, drain': rateOf(drained) }, capped: [] };
}
