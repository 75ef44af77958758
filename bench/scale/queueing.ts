// How long jobs wait for a slot, by how busy the slots are (Erlang's formula).

export interface Crew {
  readonly slots: number;
  readonly jobsPerSecond: number;
  /** Mean time that a handler takes. */
  readonly serviceMs: number;
}

export function utilisationOf({ slots, jobsPerSecond, serviceMs }: Crew): number {
  return (jobsPerSecond * serviceMs) / 1_000 / slots;
}

/** The probability that a job finds all slots busy. */
export function waitingShareOf(crew: Crew): number {
  const offered = utilisationOf(crew) * crew.slots;
  let [term, sum] = [1, 1];
  for (let n = 1; n < crew.slots; n++) {
    term *= offered / n;
    sum += term;
  }
  const last = ((term * offered) / crew.slots) * (1 / (1 - utilisationOf(crew)));
  return last / (sum + last);
}

/** The mean time between a job's arrival and its start; for ever where slots cannot keep up. */
export function meanWaitMs(crew: Crew): number {
  const utilisation = utilisationOf(crew);
  if (utilisation >= 1) return Infinity;
  return (waitingShareOf(crew) * crew.serviceMs) / (crew.slots * (1 - utilisation));
}

/** The fewest slots with which jobs wait no longer than that, on average. */
export function slotsFor(load: Omit<Crew, 'slots'>, waitMsMax: number): number {
  let slots = Math.floor((load.jobsPerSecond * load.serviceMs) / 1_000) + 1;
  while (meanWaitMs({ ...load, slots }) > waitMsMax) slots += 1;
  return slots;
}
