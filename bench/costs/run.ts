import pg from 'pg';
import type { Claim } from 'pawl/internal/engine/claim';
import { Engine } from 'pawl/internal/engine/engine';
import { openContext } from 'pawl/internal/engine/open-context';
import { systemClock } from 'pawl/internal/core/clock';
import { systemIds } from 'pawl/internal/core/ids';
import { systemRandom } from 'pawl/internal/core/random';
import { builtInLifecycles } from 'pawl/internal/lifecycles/built-in';
import { openPostgresStore } from 'pawl/internal/store/postgres/store';
import { freshDatabase } from '../../test/support/postgres/fresh-database.ts';
import { expectAll, inBatches, INPUT, LEASE, SUCCESS } from '../core/contender.ts';
import { conditionsOf } from '../harness/durable-postgres.ts';
import { connectionsOf, type Place, places, read, type Reading } from './gauge.ts';

const TENANT = 'costs';
const OWNER = 'costs';
const TYPE = 'costs';

export interface CostsOptions {
  /** Jobs whose lives are measured, by the hundred; a tenth of them also one by one. */
  readonly jobs: number;
}

/** What one job costs in one verb. */
export interface Cost {
  readonly verb: string;
  readonly batch: number;
  readonly walBytes: number;
  readonly serverCpuMs: number | null;
  readonly ownCpuMs: number;
}

export interface Costs {
  readonly conditions: string;
  readonly costs: readonly Cost[];
  /** Bytes a job that has ended and is kept. */
  readonly kept: readonly Place[];
  /** Open connections of one process under load. */
  readonly connections: number;
}

function difference(before: Reading, after: Reading, jobs: number): Omit<Cost, 'verb' | 'batch'> {
  const server =
    before.serverCpuMs === null || after.serverCpuMs === null
      ? null
      : (after.serverCpuMs - before.serverCpuMs) / jobs;
  return {
    walBytes: (after.walBytes - before.walBytes) / jobs,
    serverCpuMs: server,
    ownCpuMs: (after.ownCpuMs - before.ownCpuMs) / jobs,
  };
}

/** A job's life in parts, each measured by itself. */
class Bench {
  readonly #engine: Engine;
  readonly #client: pg.Client;

  constructor(engine: Engine, client: pg.Client) {
    this.#engine = engine;
    this.#client = client;
  }

  async #measured(verb: string, { batch, jobs }: Turn, work: () => Promise<void>): Promise<Cost> {
    const before = await read(this.#client);
    await work();
    return { verb, batch, ...difference(before, await read(this.#client), jobs) };
  }

  async lives(turn: Turn): Promise<Cost[]> {
    const { batch, jobs } = turn;
    const requests = Array.from({ length: jobs }, () => ({ type: TYPE, input: INPUT }));
    const caller = { tenant: TENANT, principal: null };
    const claims: Claim[] = [];
    const ownership = ({ job }: Claim) => ({ ref: job, owner: OWNER, epoch: job.epoch });
    return [
      await this.#measured('enqueue', turn, async () => {
        for (const some of inBatches(requests, batch)) await this.#engine.enqueue(some, { caller });
      }),
      await this.#measured('claim', turn, async () => {
        while (claims.length < jobs) {
          claims.push(...(await this.#engine.claim({ owner: OWNER, types: [TYPE], max: batch })));
        }
      }),
      await this.#measured('heartbeat', turn, async () => {
        for (const some of inBatches(claims, batch)) {
          const beats = some.map((claim) => ({
            ...ownership(claim),
            progress: 50,
            message: 'half',
          }));
          const results = await this.#engine.renew(beats);
          expectAll(
            results.filter(({ kind }) => kind === 'renewed').length,
            some.length,
            'renewed',
          );
        }
      }),
      await this.#measured('complete', turn, async () => {
        for (const some of inBatches(claims, batch)) {
          const endings = some.map((claim) => ({
            ...ownership(claim),
            ending: SUCCESS,
          }));
          const results = await this.#engine.settle(endings);
          expectAll(
            results.filter(({ kind }) => kind === 'moved').length,
            some.length,
            'completed',
          );
        }
      }),
    ];
  }
}

interface Turn {
  readonly batch: number;
  readonly jobs: number;
}

function grown(before: readonly Place[], after: readonly Place[], jobs: number): Place[] {
  const old = new Map(before.map((place) => [place.table, place]));
  return after
    .map(({ table, bytes, indexBytes }) => ({
      table,
      bytes: (bytes - (old.get(table)?.bytes ?? 0)) / jobs,
      indexBytes: (indexBytes - (old.get(table)?.indexBytes ?? 0)) / jobs,
    }))
    .filter(({ bytes, indexBytes }) => bytes + indexBytes >= 10);
}

/** Sixty-four callers at once, so that the pool is as wide as it gets. */
async function widest(engine: Engine, client: pg.Client): Promise<number> {
  const caller = { tenant: TENANT, principal: null };
  const busy = Array.from({ length: 64 }, () =>
    engine.enqueue([{ type: TYPE, input: INPUT }], { caller }),
  );
  await Promise.all(busy);
  return connectionsOf(client);
}

/** Measures on an empty database of the given server. */
export async function measureCosts(
  server: { readonly url: string },
  { jobs }: CostsOptions,
): Promise<Costs> {
  const database = await freshDatabase(server);
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const store = await openPostgresStore({ url: database.url, lifecycles: builtInLifecycles });
  try {
    const ids = systemIds(systemClock);
    const engine = new Engine(
      openContext({ store, lifecycles: builtInLifecycles, random: systemRandom, ids }),
    );
    await engine.putType({ tenant: TENANT, type: TYPE }, { lifecycle: 'task', lease: LEASE });
    const bench = new Bench(engine, client);
    // What is cold is thrown away, and a checkpoint now keeps one from falling into the middle.
    await bench.lives({ batch: 100, jobs: 500 });
    await client.query('CHECKPOINT');
    const before = await places(client);
    const many = await bench.lives({ batch: 100, jobs });
    await client.query('VACUUM');
    const kept = grown(before, await places(client), jobs);
    const single = await bench.lives({ batch: 1, jobs: Math.ceil(jobs / 10) });
    const connections = await widest(engine, client);
    const conditions = await conditionsOf(client);
    return { conditions, costs: [...many, ...single], kept, connections };
  } finally {
    await store.close();
    await client.end();
    await database.drop();
  }
}
