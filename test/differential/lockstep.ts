// Runs the same operations on several engines and stops at the first difference.
import type { JobRef } from '../../src/core/job.ts';
import type { RowCoverage } from '../support/world-rows.ts';
import { Contestant, type Entrant, firstDifference } from './contestant.ts';
import { type Call, callOf, type Operation } from './operation.ts';
import type { Holding, Scene } from './scene.ts';
import {
  Follower,
  fullSnapshot,
  quickSnapshot,
  readScene,
  type Rows,
  touchedBetween,
} from './snapshot.ts';

export interface LockstepOptions {
  /** The first one is the oracle. */
  readonly entrants: readonly Entrant[];
  readonly operations: readonly Operation[];
  /** The types that jobs are made of. */
  readonly types: readonly string[];
  readonly coverage: RowCoverage | null;
  /** How many steps lie between two looks at all rows; the last one is at the whole history too. */
  readonly fullEvery: number;
}

export interface Difference {
  readonly step: number;
  readonly label: string;
  readonly what: string;
  readonly calls: readonly string[];
}

const HOLDINGS_MAX = 40;
const TAIL_READS_MAX = 5_000;

/** Null when all engines agreed all the way. */
export async function runLockstep(options: LockstepOptions): Promise<Difference | null> {
  const { entrants, coverage } = options;
  const contestants: Contestant[] = [];
  for (const [index, entrant] of entrants.entries()) {
    contestants.push(await Contestant.open(entrant, index === 0 ? coverage : null));
  }
  const race = new Lockstep(contestants, options);
  try {
    for (const operation of options.operations) await race.step(operation);
    await race.finish();
    return null;
  } catch (error) {
    if (!(error instanceof Disagreement)) throw error;
    return { ...error.found, calls: race.calls, step: race.calls.length };
  } finally {
    for (const contestant of contestants) await contestant.store.close();
  }
}

class Disagreement extends Error {
  readonly found: { label: string; what: string };

  constructor(label: string, what: string) {
    super(what);
    this.found = { label, what };
  }
}

class Lockstep {
  readonly calls: string[] = [];
  readonly #contestants: readonly Contestant[];
  readonly #followers: ReadonlyMap<Contestant, Follower>;
  readonly #options: LockstepOptions;
  readonly #tail: unknown[] = [];
  #holdings: readonly Holding[] = [];
  #claims = 0;
  #rows: Rows = { jobs: [], letters: [] };
  /** Jobs that were touched since the last look at all rows. */
  #touched = new Map<string, JobRef>();

  constructor(contestants: readonly Contestant[], options: LockstepOptions) {
    this.#contestants = contestants;
    this.#followers = new Map(contestants.map((one) => [one, new Follower(one)]));
    this.#options = options;
  }

  get #oracle(): Contestant {
    return this.#contestants[0]!;
  }

  async step(operation: Operation): Promise<void> {
    const call = callOf(operation, this.#scene());
    this.calls.push(call.text);
    await this.#compare(`the answer to ${operation.verb}`, (contestant) =>
      this.#perform(contestant, operation, call),
    );
    const rows = await readScene(this.#oracle);
    const touched = touchedBetween(this.#rows, rows);
    for (const ref of touched.jobs) this.#touched.set(`${ref.tenant}/${ref.id}`, ref);
    await this.#compare('what was touched', (one) => quickSnapshot(one, touched));
    if (this.calls.length % this.#options.fullEvery === 0) await this.#lookAtAll();
    await this.#followTail();
    this.#rows = rows;
    this.#remember();
  }

  async finish(): Promise<void> {
    await this.#compare('everything at the end', (one) => fullSnapshot(one, 'all'));
    for (const contestant of this.#contestants) {
      if (!contestant.isTailPrompt) await this.#awaitTail(contestant);
      const whole = await new Follower(contestant).news();
      const difference = firstDifference(sorted(this.#tail), sorted(whole));
      if (difference !== null) {
        throw new Disagreement(contestant.label, `the tail from the start: ${difference}`);
      }
    }
  }

  async #lookAtAll(): Promise<void> {
    const touched = [...this.#touched.values()];
    this.#touched.clear();
    await this.#compare('everything', (one) => fullSnapshot(one, touched));
  }

  async #perform(contestant: Contestant, operation: Operation, call: Call): Promise<unknown> {
    contestant.beginStep(operation.seed);
    const answer = await contestant.answerOf(() => call.perform(contestant));
    // Looks that a step has set off belong to it.
    await contestant.engine.context.flowLooks.idle();
    const isStoreFault = (answer as { thrown?: unknown } | null)?.thrown === 'StoreError';
    // Nothing that the engine asks for may be refused by a store.
    if (isStoreFault) throw new Disagreement(contestant.label, JSON.stringify(answer));
    return answer;
  }

  async #compare(what: string, look: (contestant: Contestant) => Promise<unknown>): Promise<void> {
    const [expected, ...others] = await Promise.all(this.#contestants.map(look));
    others.forEach((answer, index) => {
      const difference = firstDifference(expected, answer);
      if (difference === null) return;
      const { label } = this.#contestants[index + 1]!;
      throw new Disagreement(label, `${what} differs at ${difference}`);
    });
  }

  async #followTail(): Promise<void> {
    const expected = await this.#followers.get(this.#oracle)!.news();
    this.#tail.push(...expected);
    for (const contestant of this.#contestants.slice(1)) {
      if (!contestant.isTailPrompt) continue;
      const difference = firstDifference(expected, await this.#followers.get(contestant)!.news());
      if (difference === null) continue;
      throw new Disagreement(contestant.label, `the tail differs at ${difference}`);
    }
  }

  /** Other writers on the same server can hold the firehose back, but only for so long. */
  async #awaitTail(contestant: Contestant): Promise<void> {
    const follower = this.#followers.get(contestant)!;
    for (let reads = 0; follower.count < this.#tail.length; reads++) {
      await follower.news();
      if (reads < TAIL_READS_MAX) continue;
      const seen = `${follower.count} of ${this.#tail.length} items`;
      throw new Disagreement(contestant.label, `the tail never came further than ${seen}`);
    }
  }

  #scene(): Scene {
    const { jobs, letters } = this.#rows;
    const refs: JobRef[] = letters.map(({ tenant, jobId }) => ({ tenant, id: jobId }));
    const { types } = this.#options;
    const now = this.#oracle.clock.now();
    return { types, now, jobs, holdings: this.#holdings, letters: refs };
  }

  #remember(): void {
    const { claimed } = this.#oracle;
    if (claimed.size === this.#claims) return;
    this.#claims = claimed.size;
    const held = [...claimed.values()].slice(-HOLDINGS_MAX);
    this.#holdings = held.map(({ job: { tenant, id, owner, epoch } }) => ({
      ref: { tenant, id },
      owner: owner!,
      epoch,
    }));
  }
}

function sorted(items: readonly unknown[]): readonly unknown[] {
  const keyed = items.map((item) => ({ item, key: keyOf(item) }));
  return keyed.sort((one, other) => (one.key < other.key ? -1 : 1)).map(({ item }) => item);
}

function keyOf(item: unknown): string {
  const { event } = item as { event: Record<string, unknown> };
  return JSON.stringify([event['tenant'], event['jobId'], event['version'], event['note']]);
}
