// How long jobs wait for a slot, by how busy the slots are (Erlang's formula).

export interface Fleet {
  readonly slots: number;
  readonly jobsPerSecond: number;
  /** Mean time that a handler takes. */
  readonly serviceMs: number;
}

export function utilisationOf({ slots, jobsPerSecond, serviceMs }: Fleet): number {
  return (jobsPerSecond * serviceMs) / 1_000 / slots;
}

/** The probability that a job finds all slots busy. */
export function waitingShareOf(fleet: Fleet): number {
  const offered = utilisationOf(fleet) * fleet.slots;
  let [term, sum] = [1, 1];
  for (let n = 1; n < fleet.slots; n++) {
    term *= offered / n;
    sum += term;
  }
  const last = ((term * offered) / fleet.slots) * (1 / (1 - utilisationOf(fleet)));
  return last / (sum + last);
}

/** The mean time between a job's arrival and its start; for ever where slots cannot keep up. */
export function meanWaitMs(fleet: Fleet): number {
  const utilisation = utilisationOf(fleet);
  if (utilisation >= 1) return Infinity;
  return (waitingShareOf(fleet) * fleet.serviceMs) / (fleet.slots * (1 - utilisation));
}

/** The fewest slots with which jobs wait no longer than that, on average. */
export function slotsFor(load: Omit<Fleet, 'slots'>, waitMsMax: number): number {
  let slots = Math.floor((load.jobsPerSecond * load.serviceMs) / 1_000) + 1;
  while (meanWaitMs({ ...load, slots }) > waitMsMax) slots += 1;
  return slots;
}
