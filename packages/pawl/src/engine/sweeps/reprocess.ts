import type { Instant } from '../../core/clock.ts';
import type { DlqReason } from '../../core/error-class.ts';
import { PawlError } from '../../core/errors.ts';
import type { Job } from '../../core/job.ts';
import { EMPTY_LEVEL, levelAfter, levelAt, type RateLevel, tokensLeft } from '../../core/rate.ts';
import type { DeadLetter, DeadLetterFilter } from '../../records/dead-letters.ts';
import { ERASED } from '../../store/retention.ts';
import type { EngineContext } from '../context.ts';
import { replay } from '../replay.ts';
import { checkReprocessRule, type ReprocessRule } from '../retention/reprocess-rule.ts';

/** So many letters of a reason are looked at in one sweep; the next goes on from there. */
const PAGE = 200;

const PRINCIPAL = 'reprocess';

/** A rule for one of its reasons, and how far the sweep has come. */
interface Duty {
  readonly rule: ReprocessRule;
  readonly reason: DlqReason;
  before: string | null;
}

/**
 * The periodic duty over dead letters that rules name: each is replayed once, whatever happens,
 * since the store replays a letter once. Without rules it does nothing.
 */
export class ReprocessSweep {
  readonly #context: EngineContext;
  readonly #duties: readonly Duty[];
  readonly #levels = new Map<ReprocessRule, RateLevel>();

  constructor(context: EngineContext, rules: readonly ReprocessRule[] = []) {
    this.#context = context;
    this.#duties = rules
      .map(checkReprocessRule)
      .flatMap((rule) =>
        [...new Set(rule.reasons)].map((reason) => ({ rule, reason, before: null })),
      );
  }

  /** One round, by the database's clock; answers with the number of jobs made. */
  async runOnce(): Promise<number> {
    if (this.#duties.length === 0) return 0;
    const now = await this.#context.store.now();
    let total = 0;
    for (const duty of this.#duties) total += await this.#runDuty(duty, now);
    return total;
  }

  async #runDuty(duty: Duty, now: Instant): Promise<number> {
    const { rule, reason, before } = duty;
    if (!this.#hasToken(rule, now)) return 0;
    const filter: DeadLetterFilter = {
      tenant: rule.tenant,
      reasonCode: reason,
      isReplayed: false,
      limit: PAGE,
      ...(before === null ? {} : { before }),
    };
    const letters = await this.#context.records.deadLetters.list(filter);
    let total = 0;
    for (const letter of letters) {
      // The page is read again once there are tokens, so that no letter is passed over.
      if (!this.#hasToken(rule, now)) return total;
      if (!(await this.#isDue(rule, letter, now)) || !(await this.#replay(letter))) continue;
      this.#levels.set(rule, levelAfter(this.#levels.get(rule) ?? EMPTY_LEVEL, rule.rate, now));
      total += 1;
    }
    duty.before = letters.length < PAGE ? null : letters.at(-1)!.id;
    return total;
  }

  #hasToken(rule: ReprocessRule, now: Instant): boolean {
    const level = levelAt(this.#levels.get(rule) ?? EMPTY_LEVEL, rule.rate, now);
    return tokensLeft(level, rule.rate, 0) > 0;
  }

  async #isDue(rule: ReprocessRule, letter: DeadLetter, now: Instant): Promise<boolean> {
    if (now < letter.createdAt + rule.delayMs || isErased(letter)) return false;
    if (rule.types !== undefined && !rule.types.includes(letter.type)) return false;
    return (await this.#replaysBefore(letter, rule.replaysMax)) < rule.replaysMax;
  }

  /** How many jobs of the same type its own was made from, counted up to the bound. */
  async #replaysBefore({ tenant, type, jobId }: DeadLetter, max: number): Promise<number> {
    let job = await this.#read(tenant, jobId);
    let count = 0;
    for (; count < max && job !== null && job.parentJobId !== null; count++) {
      const parent: Job | null = await this.#read(tenant, job.parentJobId);
      if (parent !== null && parent.type !== type) return count;
      job = parent;
    }
    return count;
  }

  async #read(tenant: string, id: string): Promise<Job | null> {
    const [job] = await this.#context.store.read([{ tenant, id }]);
    return job ?? null;
  }

  /** One that cannot be replayed now must not keep the others from it. */
  async #replay({ tenant, id }: DeadLetter): Promise<boolean> {
    try {
      const caller = { tenant, principal: PRINCIPAL };
      return (await replay(this.#context, { deadLetterId: id, caller })).kind === 'created';
    } catch (error) {
      if (!(error instanceof PawlError)) throw error;
      const facts = { tenant, deadLetterId: id, error: error.message };
      this.#context.log.warn('a dead letter cannot be replayed now', facts);
      return false;
    }
  }
}

/** Its input is gone, so a replay would work on nothing. */
function isErased({ input, lastError }: DeadLetter): boolean {
  return input === 'null' && lastError.message === ERASED;
}
