// A tenant that works while it is moved between databases: real workers, real enqueuers, and what
// is checked once everything has ended.
import assert from 'node:assert/strict';
import { checkHistory } from 'pawl/internal/check/check-history';
import type { JobEvent } from 'pawl/internal/core/event';
import type { Job } from 'pawl/internal/core/job';
import type { Policy } from 'pawl/internal/core/policy';
import { silentLog } from 'pawl/internal/engine/context';
import { typed } from 'pawl';
import { defineJob, type JobDefinition } from 'pawl/internal/handler/define-job';
import { builtInLifecycles } from 'pawl/internal/lifecycles/built-in';
import { Pawl } from 'pawl/internal/pawl/pawl';
import type { CellSource } from 'pawl/internal/store/cells/cell';
import { type CellStore, openCells } from 'pawl/internal/store/cells/store';
import { StoreError } from 'pawl/internal/store/store-error';
import { InnerPawl } from './inner-pawl.ts';

export const TENANT = 'busy';

/** Several processes over the same databases, and what their handlers have done. */
export class MovingSite {
  readonly #sources: readonly CellSource[];
  readonly processes: InnerPawl[] = [];
  readonly stores: CellStore[] = [];
  readonly made: string[] = [];
  /** How often the handler ran for each number. */
  readonly runs = new Map<number, number>();
  /** What every handler waits for. */
  gate: Promise<void> = Promise.resolve();
  readonly job;

  constructor(sources: readonly CellSource[]) {
    this.#sources = sources;
    this.job = defineJob('moving-work', {
      input: typed<{ n: number }>(),
      run: async ({ input, log }) => {
        log(`run ${input.n}`);
        this.runs.set(input.n, (this.runs.get(input.n) ?? 0) + 1);
        await this.gate;
        return input.n;
      },
    });
  }

  get first(): InnerPawl {
    return this.processes[0]!;
  }

  get cells(): CellStore['cells'] {
    return this.stores[0]!.cells;
  }

  async open(tenant: string = TENANT): Promise<InnerPawl> {
    const store = await openCells({ cells: this.#sources });
    const parts = { codec: null, links: null, retention: {}, log: silentLog, files: null };
    const jobs = [this.job as JobDefinition];
    const pawl = new Pawl({ store, jobs, lifecycles: builtInLifecycles, tenant, ...parts });
    await pawl.start();
    const inner = new InnerPawl(pawl);
    this.processes.push(inner);
    this.stores.push(store);
    return inner;
  }

  /** An enqueue that was not answered is asked again under the same key. */
  async enqueue(pawl: InnerPawl, n: number): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        const made = await pawl.pawl.enqueue(this.job, { n }, { key: `n-${n}` });
        this.made.push(made.id);
        return;
      } catch (error) {
        if (tries === 20 || !(error instanceof Error)) throw error;
      }
    }
  }

  async work<Answer>(count: number, body: () => Promise<Answer>): Promise<Answer> {
    let next = 0;
    const enqueuers = this.processes.map(async (pawl) => {
      while (next < count) await this.enqueue(pawl, next++);
    });
    await this.enqueue(this.first, -1);
    const [answer, ...made] = await Promise.allSettled([body(), ...enqueuers]);
    const failed = [answer, ...made].find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
    return (answer as PromiseFulfilledResult<Answer>).value;
  }

  async cell(): Promise<string> {
    const found = await this.cells.placements({ limit: 100 });
    return found.find(({ tenant }) => tenant === TENANT)!.cell;
  }

  async nextCell(): Promise<string> {
    const { names } = this.cells;
    return names[(names.indexOf(await this.cell()) + 1) % names.length]!;
  }

  /** The events of every job of the tenant, notes among them, by id. */
  async histories(): Promise<JobEvent[][]> {
    const store = this.stores[0]!;
    const { jobs } = await store.list({ tenant: TENANT, limit: 10_000 });
    const ids = jobs.map(({ id }) => id).toSorted();
    const query = { tenant: TENANT, after: null, limit: 1_000, notes: true };
    return Promise.all(
      ids.map(async (id) => (await store.events({ ...query, id })).events as JobEvent[]),
    );
  }

  /** Every job that was accepted succeeded once, in one database alone, and all laws hold. */
  async check(): Promise<void> {
    const { engine, context } = this.processes.at(-1)!;
    const ids = [...new Set(this.made)];
    const jobs: Job[] = [];
    const events: JobEvent[] = [];
    for (const id of ids) {
      await this.processes.at(-1)!.ended({ tenant: TENANT, id });
      jobs.push(await engine.job({ tenant: TENANT, id }));
      const query = { tenant: TENANT, id, after: null, limit: 1_000, notes: true };
      events.push(...(await context.store.events(query)).events);
    }
    const numbers = [...new Set(jobs.map(({ policy }) => policy))];
    const found = await context.store.policies(numbers);
    const policies = new Map(numbers.map((one, at): [number, Policy] => [one, found[at]!]));
    assert.deepEqual(
      jobs.filter(({ phase }) => phase !== 'succeeded').map(({ id, state }) => `${id} ${state}`),
      [],
      'every job succeeded',
    );
    const listed = await context.store.list({ tenant: TENANT, limit: 10_000 });
    assert.equal(listed.jobs.length, ids.length, 'the list has each job once');
    assert.deepEqual(
      events.filter(({ type }) => type === 'job_succeeded').length,
      ids.length,
      'each has one success',
    );
    const lifecycles = builtInLifecycles;
    const areNotesKept = false;
    const input = { lifecycles, policies, jobs, events, deadLetters: [], areNotesKept };
    assert.deepEqual(checkHistory(input), []);
  }

  async close(): Promise<void> {
    for (const pawl of this.processes) await pawl.close().catch(ignoreStoreError);
  }
}

function ignoreStoreError(error: unknown): void {
  if (!(error instanceof StoreError)) throw error;
}
