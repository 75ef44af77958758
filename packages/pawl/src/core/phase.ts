/** The engine's own words for where a job stands, in rank order: the rank is the index. */
export const PHASES = [
  'held',
  'ready',
  'leased',
  'executing',
  'waiting',
  'succeeded',
  'failed',
  'cancelled',
  'dead',
] as const;

/** The engine's name for the state of a job, the same for every lifecycle. */
export type Phase = (typeof PHASES)[number];

const RANKS: ReadonlyMap<Phase, number> = new Map(PHASES.map((phase, rank) => [phase, rank]));

/** Databases store the rank; within an epoch it only rises. */
export function rankOf(phase: Phase): number {
  return RANKS.get(phase)!;
}

export function phaseOfRank(rank: number): Phase {
  const phase = PHASES[rank];
  if (phase === undefined) throw new RangeError(`no phase has rank ${rank}`);
  return phase;
}

export function isPhase(word: string): word is Phase {
  return RANKS.has(word as Phase);
}

export const TERMINAL_RANK_MIN = 5;

/** Whether a job in this phase has ended. */
export function isTerminal(phase: Phase): boolean {
  return rankOf(phase) >= TERMINAL_RANK_MIN;
}

/** Leased or executing: exactly one worker owns the job until its lease expires. */
export function isOwned(phase: Phase): boolean {
  return phase === 'leased' || phase === 'executing';
}
