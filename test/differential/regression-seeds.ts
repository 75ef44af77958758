/**
 * Seeds that once told stores apart, and how many steps that takes; they always run first.
 * 10044: whether somebody waiting for a token is let on by an insert that makes nothing.
 * 10072: the oracle let them on after a move that had missed.
 * 20115: a job that came due and one whose token did, in one sweep, went through the next gate one
 * after the other on two stores, and in the order of their line on the third.
 * 20142, 20331: an item of a call whose key was known came to be after all others of the call.
 * 20333: a job that was cancelled before its start gave its token back to nobody, but for a sweep.
 */
export const regressionSeeds: readonly { readonly seed: number; readonly steps: number }[] = [
  { seed: 10_044, steps: 320 },
  { seed: 10_072, steps: 325 },
  { seed: 20_115, steps: 262 },
  { seed: 20_142, steps: 331 },
  { seed: 20_331, steps: 251 },
  { seed: 20_333, steps: 359 },
];
