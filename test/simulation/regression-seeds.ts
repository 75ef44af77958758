/**
 * Seeds that once found a fault; they always run first.
 * 1, 13, 92: a batch whose later read failed said that nothing was changed.
 */
export const regressionSeeds: readonly number[] = [1, 13, 92];
