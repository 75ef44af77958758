import { grouped, type Rung } from '../figures.ts';
import { cutPower, cutPowerWeakly, type PoweredStore, whyNotHere } from './power-cut.ts';

const SETTINGS: Readonly<Record<PoweredStore, readonly [strong: string, weak: string]>> = {
  sqlite: ['SQLite, synchronous FULL', 'SQLite, synchronous NORMAL'],
  postgres: ['PostgreSQL, synchronous_commit on', 'PostgreSQL, synchronous_commit off'],
};

/** `--cuts 5 --jobs 400`: per store, cuts with the default setting and one with the weaker one. */
export const runPower: Rung = async (options, say) => {
  const reason = whyNotHere();
  if (reason !== null) return { figures: { skipped: reason }, violations: [] };
  const cuts = options.number('cuts', 5);
  const wanted = options.number('jobs', 400);
  const isTimeLeft = options.isTimeLeft();
  const counts = { cuts: 0, controls: 0, jobs: 0, lost: 0 };
  const violations: string[] = [];
  const figures: Record<string, string | number> = { 'cuts of power, each store': cuts };
  for (const store of ['sqlite', 'postgres'] as const) {
    const [strong, weak] = SETTINGS[store];
    let [acknowledged, lost] = [0, 0];
    for (let cut = 1; cut <= cuts && isTimeLeft(); cut++) {
      const found = await cutPower({ store, setting: 'full', wanted });
      acknowledged += found.acknowledged;
      lost += found.lost;
      counts.cuts += 1;
      if (found.lost > 0) violations.push(`${strong}, cut ${cut}: ${found.lost} jobs were lost`);
      violations.push(...found.damage.map((one) => `${strong}, cut ${cut}: ${one}`));
      say(`${strong}, cut ${cut}: ${found.acknowledged} acknowledged, ${found.lost} lost`);
    }
    counts.jobs += acknowledged;
    counts.lost += lost;
    counts.controls += 1;
    const control = await cutPowerWeakly(store);
    if (control.lost === 0) violations.push(`${weak} lost nothing: this proves nothing`);
    figures[strong] = `${grouped(acknowledged)} acknowledged, ${lost} lost`;
    figures[weak] = `${grouped(control.acknowledged)} acknowledged, ${control.lost} lost`;
  }
  return { figures, violations, counts };
};
