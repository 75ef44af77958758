import type { Changes } from 'pawl/internal/engine/what-if/changes';
import type { Figures } from 'pawl/internal/engine/what-if/figures';
import type { Stretch } from 'pawl/internal/engine/what-if/stretch';
import { reportOf, type WhatIfReport } from 'pawl/internal/engine/what-if/what-if';
import { say } from '../harness/results.ts';
import { loadOf, type LoadOptions, TYPES } from './load.ts';
import { realRun, type RealSettings } from './real-run.ts';

export interface WhatIfOptions extends LoadOptions {
  readonly slots: number;
}

/** The figures of all jobs, or of one type. */
export interface Predicted {
  readonly of: string;
  /** As the first run really was. */
  readonly before: Figures;
  readonly predicted: Figures;
  /** As a second run with the change really was. */
  readonly real: Figures;
}

export interface Prediction {
  readonly change: string;
  readonly figures: readonly Predicted[];
}

export interface Measured {
  readonly jobs: number;
  readonly replay: { readonly real: Figures; readonly replayed: Figures };
  readonly predictions: readonly Prediction[];
}

interface Second {
  readonly change: string;
  readonly changes: Changes;
  readonly settings: RealSettings;
}

/** Records a real run, predicts others from it, and then really makes them. */
export async function measureWhatIf(options: WhatIfOptions): Promise<Measured> {
  const { slots } = options;
  const load = loadOf(options);
  say(`${load.length} jobs on ${slots} slots`);
  const first = await realRun(load, { slots });
  const { total } = await play(first, {});
  const seconds: Second[] = [
    { change: `${2 * slots} slots`, changes: { slots: '2x' }, settings: { slots: 2 * slots } },
    { change: `${slots + 1} slots`, changes: { slots: '+1' }, settings: { slots: slots + 1 } },
    {
      change: 'mail before report',
      changes: { priorities: { mail: 100 } },
      settings: { slots, high: 'mail' },
    },
  ];
  const predictions: Prediction[] = [];
  for (const { change, changes, settings } of seconds) {
    const predicted = await play(first, changes);
    say(`really: ${change}`);
    const real = await play(await realRun(load, settings), {});
    predictions.push({ change, figures: figuresOf(predicted, real) });
  }
  return { jobs: load.length, replay: total, predictions };
}

function figuresOf(predicted: WhatIfReport, real: WhatIfReport): Predicted[] {
  const all = {
    of: 'all',
    before: predicted.total.real,
    predicted: predicted.total.whatIf!,
    real: real.total.real,
  };
  const byType = TYPES.map((of): Predicted => {
    const [one, other] = [predicted, real].map(({ types }) =>
      types.find(({ name }) => name === of)!,
    );
    return { of, before: one!.real, predicted: one!.whatIf!, real: other!.real };
  });
  return [all, ...byType];
}

function play(stretch: Stretch, changes: Changes): Promise<WhatIfReport> {
  return reportOf(stretch, { changes, turn: () => Promise.resolve() });
}
