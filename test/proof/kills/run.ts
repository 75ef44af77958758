import type { Rung } from '../figures.ts';
import { killFlow } from './kill.ts';

/** `npm run proof:kills -- --children 1000 --kills 20 --store sqlite,postgres`. */
export const runKills: Rung = async (options, say) => {
  const children = options.number('children', 1_000);
  const wanted = (options.text('store') ?? 'sqlite,postgres').split(',');
  const figures: Record<string, number> = { children };
  const violations: string[] = [];
  for (const store of ['sqlite', 'postgres'] as const) {
    if (!wanted.includes(store)) continue;
    const kills = options.number('kills', 20);
    const found = await killFlow({ store, children, kills, seed: options.number('seed', 1) });
    say(`${store}: ${children} children, killed ${found.kills} times`);
    figures[`kills on ${store}`] = found.kills;
    violations.push(...found.problems.map((problem) => `${store}: ${problem}`));
  }
  return { figures, violations };
};
