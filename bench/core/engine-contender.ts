import { systemClock } from '../../src/core/clock.ts';
import { systemIds } from '../../src/core/ids.ts';
import { systemRandom } from '../../src/core/random.ts';
import { Engine } from '../../src/engine/engine.ts';
import { builtInLifecycles } from '../../src/lifecycles/built-in.ts';
import type { Store } from '../../src/store/store.ts';
import {
  type Contender,
  expectAll,
  type Holding,
  inBatches,
  INPUT,
  LEASE,
  LIFECYCLE,
  TENANT,
} from './contender.ts';

const OWNER = 'bench-engine';

/** The product: the real engine over a real store, as a face or a worker calls it. */
export async function engineContender(
  store: Store,
  named: { label: string; rows: number; type?: string },
): Promise<Contender> {
  const { label, rows, type = 'engine' } = named;
  const lifecycles = builtInLifecycles;
  const engine = new Engine({
    store,
    lifecycles,
    random: systemRandom,
    ids: systemIds(systemClock),
  });
  await engine.putType({ tenant: TENANT, type }, { lifecycle: LIFECYCLE, lease: LEASE });
  return {
    label,
    rows,
    enqueue(size) {
      const requests = Array.from({ length: size }, () => ({ type, input: INPUT }));
      return async () => {
        const results = await engine.enqueue(requests, {
          caller: { tenant: TENANT, principal: null },
        });
        expectAll(results.filter(({ kind }) => kind === 'created').length, size, 'enqueued');
      };
    },
    claim: (max) => claim(engine, type, max),
    close: () => store.close(),
  };
}

async function claim(engine: Engine, type: string, max: number): Promise<Holding> {
  const claims = await engine.claim({ owner: OWNER, types: [type], max });
  return {
    size: claims.length,
    completions: (batch) =>
      inBatches(claims, batch).map((some) => async () => {
        const outcomes = await engine.settle(
          some.map(({ job }) => ({
            ref: job,
            owner: OWNER,
            epoch: job.epoch,
            known: job,
            ending: { kind: 'succeed' },
          })),
        );
        const moved = outcomes.filter(({ kind }) => kind === 'moved').length;
        expectAll(moved, some.length, 'completed');
      }),
  };
}
