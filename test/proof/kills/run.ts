import type { Rung } from '../figures.ts';
import { killFlow } from './kill.ts';

/** `npm run proof:kills -- --children 1000 --kills 20`. */
export const runKills: Rung = async (options, say) => {
  const children = options.number('children', 1_000);
  const kills = options.number('kills', 20);
  const report = await killFlow({ children, kills, seed: options.number('seed', 1) });
  say(`${children} children, killed ${report.kills} times`);
  return { figures: { children, kills: report.kills }, violations: report.problems };
};
