import { runLockstep } from '../../differential/lockstep.ts';
import { pickOperations } from '../../differential/operation.ts';
import { pickTypes } from '../../differential/requests.ts';
import { inMemory } from '../../support/world.ts';
import { postgresStores, sqliteInline } from '../../support/world-stores.ts';
import type { Rung } from '../figures.ts';

/** `--seeds 100 --steps 500 --from 1 --store sqlite|postgres --minutes 10`. */
export const runDifferential: Rung = async (options, say) => {
  const seeds = options.number('seeds', 50);
  const steps = options.number('steps', 450);
  const from = options.number('from', 1_000);
  const isTimeLeft = options.isTimeLeft();
  const wanted = options.text('store') ?? '';
  const stores = [sqliteInline, ...(await postgresStores())];
  const figures: Record<string, number> = {};
  const violations: string[] = [];
  const oracle = { label: 'memory', open: inMemory, isTailPrompt: true };
  for (const store of stores.filter(({ label }) => label.includes(wanted))) {
    const isTailPrompt = !store.label.startsWith('postgres');
    let compared = 0;
    for (let seed = from; seed < from + seeds && isTimeLeft(); seed++) {
      const found = await runLockstep({
        entrants: [oracle, { ...store, isTailPrompt }],
        operations: pickOperations(seed, steps),
        types: pickTypes(seed),
        coverage: null,
        fullEvery: 25,
      });
      compared += found?.step ?? steps;
      if (found !== null) violations.push(`${store.label}, seed ${seed}: ${found.what}`);
    }
    figures[`${store.label} = oracle, steps`] = compared;
    say(`${store.label}: ${compared} steps`);
  }
  return { figures, violations };
};
