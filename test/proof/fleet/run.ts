import type { Rung } from '../figures.ts';
import { runUnderAttack } from './fleet.ts';

/** `--faults 40 --seed 1 --minutes 5`. */
export const runFleet: Rung = async (options) => {
  const found = await runUnderAttack({
    seed: options.number('seed', 1),
    apis: options.number('servers', 2),
    workers: options.number('workers', 3),
    producers: options.number('producers', 4),
    paceMs: options.number('pace', 20),
    faultsMax: options.number('faults', 20),
    isTimeLeft: options.isTimeLeft(),
  });
  const { faults, violations, leasesLost, ...jobs } = found;
  const done = [...faults].map(([name, count]) => `${name} ${count}`).join(', ');
  const total = [...faults.values()].reduce((sum, count) => sum + count, 0);
  const figures = { ...jobs, 'leases lost': leasesLost, faults: `${total}: ${done}` };
  return { figures, violations };
};
