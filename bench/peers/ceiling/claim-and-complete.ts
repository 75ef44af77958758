import { type Contender, expectAll } from '../../core/contender.ts';

/** Jobs in one claim and in one completion. */
export const BATCH = 500;

/** Claims and completes until nothing is left, as one of so many that share the jobs. */
export async function claimAndComplete(bare: Contender, jobs: number, loops = 1): Promise<number> {
  let done = 0;
  const loop = async (): Promise<void> => {
    for (;;) {
      const holding = await bare.claim(BATCH);
      if (holding.size === 0) return;
      for (const complete of await holding.completions(BATCH)) await complete();
      done += holding.size;
    }
  };
  await Promise.all(Array.from({ length: loops }, loop));
  expectAll(done, jobs, 'drained by a bare loop');
  return done;
}
