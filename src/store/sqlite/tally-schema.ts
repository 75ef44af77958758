/**
 * Held, not yet due, waiting, or at a gate: the lines in which jobs are kept back. Who is claimable
 * or owned is not in it, so that the common course of a job pays nothing.
 */
export const tallySchemaSql = `
CREATE INDEX jobs_aside ON jobs (tenant_id, queue, type, phase, run_at)
  WHERE phase IN (0, 1, 4) AND gate IS NOT 0;
`;
