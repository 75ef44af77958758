import { rmSync } from 'node:fs';
import { grouped, type Rung } from '../figures.ts';
import { campaign } from './campaign.ts';
import { newestRelease, releaseAt, THIS_RELEASE } from './release.ts';

const NO_RELEASE = 'there is no release yet: two releases side by side need --older <revision>';

/**
 * `--faults 60 --jobs 3000 --seed 1 --minutes 5 --store postgres,sqlite --older v1.0.0` (by default
 * the newest release), and `--only "kill -9"` for the kinds with these words in their names.
 */
export const runFleet: Rung = async (options, say) => {
  const revision = options.text('older') ?? newestRelease();
  const older = revision === null ? { reason: NO_RELEASE } : releaseAt(revision);
  const words = options.text('only') ?? '';
  const stores = (options.text('store') ?? 'postgres,postgres,sqlite').split(',');
  try {
    const found = await campaign({
      seed: options.number('seed', 1),
      faults: options.number('faults', 60),
      jobs: options.number('jobs', 3_000),
      faultsPerRound: options.number('round', 50),
      lanes: options.number('lanes', 3),
      stores: stores.map((store) => (store === 'sqlite' ? 'sqlite' : 'postgres')),
      releases: 'root' in older ? [THIS_RELEASE, older] : [THIS_RELEASE],
      only: ({ kind }) => kind.includes(words),
      isTimeLeft: options.isTimeLeft(),
      say,
    });
    const { counts, skipped, violations, ...figures } = found;
    const kinds = [...counts].toSorted(([a], [b]) => a.localeCompare(b));
    const [tried, felt] = (['done', 'felt'] as const).map((word) =>
      kinds.reduce((sum, [, count]) => sum + count[word], 0),
    ) as [number, number];
    if ('reason' in older) skipped.add(older.reason);
    return {
      figures: {
        ...figures,
        faults: `${grouped(felt)} of ${kinds.length} kinds, of ${grouped(tried)} that were tried`,
        ...Object.fromEntries(
          kinds.map(([kind, one]) => [`  ${kind}`, `${one.felt} of ${one.done}`]),
        ),
        ...(skipped.size === 0 ? {} : { skipped: [...skipped].join('; ') }),
      },
      violations,
      counts: {
        rounds: found.rounds,
        faults: felt,
        jobs: found.acknowledged,
        flows: found.flows,
        lost: found.lost,
        zombies: found.zombies,
      },
    };
  } finally {
    if ('root' in older) rmSync(older.root, { recursive: true, force: true });
  }
};
