import { type Contender, expectAll } from '../../core/contender.ts';

/** Jobs in one claim and in one completion. */
export const BATCH = 500;

/** Claims and completes until nothing is left. */
export async function claimAndComplete(bare: Contender, jobs: number): Promise<number> {
  let done = 0;
  for (;;) {
    const holding = await bare.claim(BATCH);
    if (holding.size === 0) break;
    for (const complete of await holding.completions(BATCH)) await complete();
    done += holding.size;
  }
  expectAll(done, jobs, 'drained by a bare loop');
  return done;
}
