import { systemClock } from 'pawl/internal/core/clock';
import { systemIds } from 'pawl/internal/core/ids';
import { builtInLifecycles } from 'pawl/internal/lifecycles/built-in';
import type { ClaimedJob } from 'pawl/internal/store/claim';
import type { NewJob } from 'pawl/internal/store/insert';
import type { Move } from 'pawl/internal/store/move';
import type { AnswerOf, ArgsOf, Verb } from 'pawl/internal/store/sqlite/verbs';
import { unfolded } from 'pawl/internal/store/sqlite/alike';
import { Writer } from 'pawl/internal/store/sqlite/writer';
import {
  type Call,
  type Contender,
  expectAll,
  type Holding,
  inBatches,
  INPUT,
  LIFECYCLE,
  TENANT,
} from './contender.ts';

const ids = systemIds(systemClock);
const OWNER = 'raw';
const RAW_TYPE = 'raw';
const QUEUE = 'default';
const PLACE = { state: 'running', phase: 'executing' } as const;
const SUCCESS: Move['steps'] = [
  {
    from: PLACE,
    to: { state: 'succeeded', phase: 'succeeded' },
    epoch: 1,
    quiet: false,
    attempts: 1,
    retryCount: 0,
    delayMs: 0,
    backoffMs: null,
    error: null,
    event: 'job_succeeded',
    cause: null,
  },
];

/** The ceiling: what the store does in its writer, in a bare loop without engine and threads. */
export class SqliteRaw implements Contender {
  readonly label: string;
  readonly rows: number;
  readonly #writer: Writer;
  readonly #policy: number;

  constructor(path: string, named: { label: string; rows: number; hasGuard: boolean }) {
    this.label = named.label;
    this.rows = named.rows;
    this.#writer = new Writer({ path, lifecycles: builtInLifecycles, synchronous: 'full' });
    const { db } = this.#writer.tools.connection;
    this.#policy = Number(db.prepare('SELECT max(number) AS n FROM policies').get()!['n']);
    if (named.hasGuard) return;
    const triggers = db.prepare(`SELECT name FROM sqlite_schema WHERE type = 'trigger'`).all();
    for (const { name } of triggers) db.exec(`DROP TRIGGER ${String(name)}`);
  }

  async enqueue(size: number): Promise<Call> {
    const input = JSON.stringify(INPUT);
    const jobs = Array.from({ length: size }, () => this.#newJob(input));
    return async () => {
      const outcomes = this.#ask('insert', jobs);
      const created = outcomes.filter(({ kind }) => kind === 'created');
      expectAll(created.length, size, 'enqueued');
    };
  }

  async claim(max: number): Promise<Holding> {
    const wish = { owner: OWNER, types: [RAW_TYPE], max, tenants: null, queues: null };
    const won = this.#ask('claim', { ...wish, requestId: null });
    const completions = async (batch: number): Promise<Call[]> =>
      inBatches(won, batch).map((some) => async () => this.#complete(some));
    return { size: won.length, completions };
  }

  #complete(won: readonly ClaimedJob[]): void {
    const moves = won.map(({ job, token = null, key }): Move => ({
      tenant: job.tenant,
      id: job.id,
      key,
      lifecycle: job.lifecycle,
      lifecycleVersion: job.lifecycleVersion,
      place: PLACE,
      epoch: job.epoch,
      fence: { kind: 'owner', owner: OWNER, token },
      isCancelWished: null,
      actor: `worker:${OWNER}`,
      steps: SUCCESS,
      annotation: null,
    }));
    const outcomes = this.#ask('apply', moves);
    expectAll(outcomes.filter(({ kind }) => kind === 'moved').length, won.length, 'completed');
  }

  #ask<Name extends Verb>(verb: Name, ...args: ArgsOf<Name>): AnswerOf<Name> {
    const [answer] = this.#writer.run([{ verb, args, now: null }]);
    if ('failure' in answer!) throw new Error(answer.failure.message);
    this.#writer.checkpoint(false);
    return unfolded(answer!.value) as AnswerOf<Name>;
  }

  #newJob(input: string): NewJob {
    return {
      tenant: TENANT,
      id: ids.next(),
      type: RAW_TYPE,
      queue: QUEUE,
      lifecycle: LIFECYCLE,
      lifecycleVersion: 1,
      policy: this.#policy,
      maxAttempts: 3,
      places: [{ state: 'pending', phase: 'ready' }],
      priority: 0,
      runAt: null,
      deadlineAt: null,
      input,
      metadata: null,
      idempotency: null,
      actor: 'api:bench',
    };
  }

  async close(): Promise<void> {
    this.#writer.close();
  }
}
