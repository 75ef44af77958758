/**
 * Seeds that once found a fault; they always run first.
 * 1, 13, 92: a batch whose later read failed said that nothing was changed.
 * 9, 15, 40, 58: an old turn's completion was told that a later one of the same owner was it.
 */
export const regressionSeeds: readonly number[] = [1, 9, 13, 15, 40, 58, 92];
