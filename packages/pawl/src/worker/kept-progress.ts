import type { Claim } from '../engine/claim.ts';
import type { BeatReport } from './reports.ts';

/** Whether an attempt has kept anything that the one before it had not: it has got on. */
export class KeptProgress {
  readonly #claim: Claim;
  #hasMore = false;

  constructor(claim: Claim) {
    this.#claim = claim;
  }

  /** Whether another turn may go on where this one is stopped by its time limit. */
  get mayResume(): boolean {
    return this.#hasMore && this.#claim.policy.onTimeout === 'resume';
  }

  /** What a beat carried is durable by now. */
  confirm(keep: NonNullable<BeatReport['keep']>): void {
    const { job, stages } = this.#claim;
    const { write } = keep;
    if ('checkpoint' in write) this.#hasMore ||= write.checkpoint !== job.checkpoint;
    else {
      const { name, result } = write.stageResult;
      this.#hasMore ||= stages.find((one) => one.name === name)?.result !== result;
    }
    keep.durable.resolve();
  }
}
