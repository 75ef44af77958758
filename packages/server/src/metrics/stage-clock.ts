import type { JobRef } from 'pawl/internal/core/job';
import { isOwned } from 'pawl/internal/core/phase';
import type { Moved, Renewed, StageSeen } from 'pawl/internal/engine/observer';

interface Entered {
  readonly epoch: number;
  readonly stage: string;
  readonly type: string;
  readonly at: number;
}

/** Jobs that moved on elsewhere are never heard of again, so the oldest make room. */
const OPEN_MAX = 10_000;

/**
 * How long stages of remote owners last, by their reports. A stage counts where this process saw it
 * begin and end; where the calls of one owner go to several servers, the row tells which saw both.
 * Owners in this process measure their stages themselves.
 */
export class StageClock {
  readonly #open: Map<string, Entered> = new Map();
  readonly #tell: (stage: StageSeen) => void;

  constructor(tell: (stage: StageSeen) => void) {
    this.#tell = tell;
  }

  renewed({ ref, epoch, at, stage, before }: Renewed): void {
    if (stage === undefined || before === null) return;
    const key = keyOf(ref);
    const open = this.#open.get(key);
    if (open?.epoch === epoch && open.stage === stage && before.stage === stage) return;
    this.#end(key, { epoch, stage: before.stage, at });
    this.#open.set(key, { epoch, stage, type: before.type, at });
    if (this.#open.size > OPEN_MAX) this.#open.delete(this.#open.keys().next().value!);
  }

  moved({ before, steps, at }: Moved): void {
    if (!isOwned(before.phase) || steps.every(({ to }) => isOwned(to.phase))) return;
    this.#end(keyOf(before), { epoch: before.epoch, stage: before.stage, at });
  }

  #end(key: string, end: { epoch: number; stage: string | null; at: number }): void {
    const open = this.#open.get(key);
    if (open === undefined) return;
    this.#open.delete(key);
    if (open.epoch !== end.epoch || open.stage !== end.stage) return;
    this.#tell({ type: open.type, stage: open.stage, ms: Math.max(0, end.at - open.at) });
  }
}

function keyOf({ tenant, id }: JobRef): string {
  return `${tenant}/${id}`;
}
