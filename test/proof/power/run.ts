import { grouped, type Rung } from '../figures.ts';
import { cutPower, cutPowerWeakly, whyNotHere } from './power-cut.ts';

/** `--cuts 5 --jobs 400`: cuts with the default setting, and one with the weaker one. */
export const runPower: Rung = async (options, say) => {
  const reason = whyNotHere();
  if (reason !== null) return { figures: { skipped: reason }, violations: [] };
  const cuts = options.number('cuts', 5);
  const jobs = options.number('jobs', 400);
  const violations: string[] = [];
  let acknowledged = 0;
  let lost = 0;
  for (let cut = 1; cut <= cuts; cut++) {
    const found = await cutPower('full', jobs);
    acknowledged += found.acknowledged;
    lost += found.lost;
    if (found.lost > 0) violations.push(`cut ${cut}: ${found.lost} acknowledged jobs were lost`);
    violations.push(...found.damage.map((one) => `cut ${cut}: ${one}`));
    say(`full, cut ${cut}: ${found.acknowledged} acknowledged, ${found.lost} lost`);
  }
  const weak = await cutPowerWeakly();
  if (weak.lost === 0) violations.push('the weaker setting lost nothing: this proves nothing');
  return {
    figures: {
      'cuts of power': cuts,
      'synchronous FULL': `${grouped(acknowledged)} acknowledged, ${lost} lost`,
      'synchronous NORMAL': `${grouped(weak.acknowledged)} acknowledged, ${weak.lost} lost`,
    },
    violations,
  };
};
