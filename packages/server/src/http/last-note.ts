import type { Job } from 'pawl/internal/core/job';
import type { Engine } from 'pawl/internal/engine/engine';

/**
 * The last note that is written at the job's version. It is searched for by halves: the notes of
 * a talkative job are many and long, and every stream that opens asks for it.
 */
export async function lastNote(engine: Engine, job: Job): Promise<number> {
  const { id, tenant, version } = job;
  /** The first note behind that one, or null. */
  const behind = async (note: number): Promise<number | null> => {
    const asked = { id, tenant, after: { version, note }, limit: 1, notes: true };
    const [event] = (await engine.events(asked)).events;
    return event?.version === version ? event.note : null;
  };
  let low = 0;
  let step = 1;
  for (;;) {
    const found = await behind(low + step - 1);
    if (found === null) break;
    low = found;
    step *= 2;
  }
  let high = low + step - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const found = await behind(middle - 1);
    if (found === null) high = middle - 1;
    else low = found;
  }
  return low;
}
