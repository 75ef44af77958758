import { postgresStores, sqliteThread } from '../../support/world-stores.ts';
import type { Rung } from '../figures.ts';
import { raceEnds } from './race.ts';

/** `npm run proof:races -- --races 8000 --store sqlite,postgres`. */
export const runRaces: Rung = async (options, say) => {
  const races = options.number('races', 8_000);
  const wanted = (options.text('store') ?? 'sqlite,postgres').split(',');
  const stores = [sqliteThread, ...(await postgresStores())].filter(({ label }) =>
    wanted.some((name) => label.startsWith(name)),
  );
  const violations: string[] = [];
  const figures: Record<string, number> = {};
  for (const { label, open } of stores) {
    const { problems } = await raceEnds(open, races);
    figures[`races on ${label}`] = races;
    say(`${label}: ${races} races, ${problems.length} lost`);
    violations.push(...problems.map((problem) => `${label}: ${problem}`));
  }
  return { figures, violations };
};
