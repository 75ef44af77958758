// Tenants that are moved between databases while they work.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { birthPlaces } from 'pawl/internal/core/lifecycle';
import type { JobEvent } from 'pawl/internal/core/event';
import { builtInLifecycles } from 'pawl/internal/lifecycles/built-in';
import type { CellSource } from 'pawl/internal/store/cells/cell';
import type { NewJob } from 'pawl/internal/store/insert';
import type { TailQuery } from 'pawl/internal/store/query';
import { TenantMoved } from 'pawl/internal/store/store-error';
import type { Store } from 'pawl/internal/store/store';
import { eventually } from '../support/eventually.ts';
import { type MovingCells, postgresCells, sqliteCells } from '../support/moving-cells.ts';
import { MovingSite, TENANT } from '../support/moving.ts';
import { postgresServers } from '../support/postgres/servers.ts';

const folder = mkdtempSync(join(tmpdir(), 'pawl-moves-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const [server] = await postgresServers();

const SITES = [
  { label: 'two SQLite cells', cells: () => sqliteCells(mkdtempSync(join(folder, 'cells-'))) },
  ...(server === undefined
    ? []
    : [{ label: `three cells, ${server.label}`, cells: () => postgresCells(server) }]),
];

async function withSite(
  cells: () => Promise<MovingCells>,
  body: (site: MovingSite, sources: readonly CellSource[]) => Promise<void>,
): Promise<void> {
  const { sources, remove } = await cells();
  const site = new MovingSite(sources);
  try {
    await site.open();
    await site.open();
    await body(site, sources);
  } finally {
    await site.close();
    await remove();
  }
}

/** A move that stops right after a step, as if the process had died there. */
async function stopAfter(site: MovingSite, step: string): Promise<void> {
  const stop = (progress: { readonly step: string }): void => {
    if (progress.step === step) throw new Error(`stopped after ${step}`);
  };
  await assert.rejects(site.cells.move(TENANT, await site.nextCell(), stop), /stopped after/);
}

const STEPS = ['expected', 'copied', 'departed', 'taken', 'arrived'] as const;

for (const { label, cells } of SITES) {
  describe(`tenants move, ${label}`, () => {
    test('a busy tenant loses no job and none succeeds twice', async (context) => {
      await withSite(cells, async (site) => {
        for (const pawl of site.processes) pawl.work();
        const pauses = await site.work(300, async () => {
          const moves: number[] = [];
          for (const _ of [1, 2, 3, 4]) {
            const { pauseMs } = await site.cells.move(TENANT, await site.nextCell());
            moves.push(Math.round(pauseMs!));
          }
          return moves;
        });
        await site.check();
        context.diagnostic(`writes waited for ${pauses.join(', ')} ms`);
      });
    });

    test('a move that stops anywhere goes on when it is asked for again', async () => {
      await withSite(cells, async (site) => {
        for (const pawl of site.processes) pawl.work();
        await site.work(200, async () => {
          for (const step of STEPS) {
            const to = await site.nextCell();
            await stopAfter(site, step);
            assert.equal((await site.cells.move(TENANT, to)).to, to);
            assert.equal(await site.cell(), to);
          }
          const to = await site.nextCell();
          await stopAfter(site, 'placed');
          assert.equal(await site.cell(), to);
          await assert.rejects(site.cells.move(TENANT, to), {
            name: 'MoveRefused',
            reason: 'here',
          });
        });
        await site.check();
      });
    });

    test('two movers at once move a tenant once', async () => {
      await withSite(cells, async (site) => {
        for (const pawl of site.processes) pawl.work();
        await site.work(100, async () => {
          const to = await site.nextCell();
          const tries = site.stores.map((store) => store.cells.move(TENANT, to));
          for (const tried of await Promise.allSettled(tries)) {
            if (tried.status === 'rejected') assert.equal(tried.reason.name, 'MoveRefused');
          }
          assert.equal(await site.cell(), to);
        });
        await site.check();
      });
    });

    test('a handler that runs while its tenant moves completes in the new cell', async () => {
      await withSite(cells, async (site) => {
        const gate = Promise.withResolvers<void>();
        site.gate = gate.promise;
        const [mover, stale] = site.processes;
        stale!.work();
        await site.enqueue(stale!, 1);
        const ref = { tenant: TENANT, id: site.made[0]! };
        await eventually(
          'the handler runs',
          async () => (await mover!.engine.job(ref)).phase === 'executing',
        );
        const before = await mover!.engine.job(ref);
        await site.cells.move(TENANT, await site.nextCell());
        const moved = await mover!.engine.job(ref);
        assert.deepEqual(
          { ...moved, leaseExpiry: 0, updatedAt: 0, policy: 0 },
          {
            ...before,
            leaseExpiry: 0,
            updatedAt: 0,
            policy: 0,
          },
        );
        gate.resolve();
        const { attempts, epoch } = await mover!.ended(ref);
        assert.deepEqual([attempts, epoch, site.runs.get(1)], [1, before.epoch, 1]);
        await site.check();
      });
    });

    test('the old cell refuses what is written for a tenant that has left', async () => {
      await withSite(cells, async (site, sources) => {
        await site.enqueue(site.first, 1);
        const old = await site.cell();
        await site.cells.move(TENANT, await site.nextCell());
        const source = sources.find(({ name }) => name === old)!;
        const store = await source.open();
        try {
          const job = await newJobLike(site, site.made[0]!);
          await assert.rejects(store.insert([job]), TenantMoved);
          const kind = { name: 'schedule' };
          const put = { op: 'put', kind, tenant: TENANT, id: 'x', body: '{}' } as const;
          await assert.rejects(store.records.write([put]), TenantMoved);
          const rule = {
            tenant: TENANT,
            scope: 'queue',
            name: 'q',
            actor: 'a',
            isPaused: true,
          } as const;
          await assert.rejects(store.putDispatchRule(rule), TenantMoved);
          const claim = { owner: 'w', types: ['moving-work'], max: 9, tenants: null, queues: null };
          assert.deepEqual(await store.claim({ ...claim, requestId: null }), []);
        } finally {
          await store.close();
        }
      });
    });

    test('what a job has gone through is told alike in its new cell', async () => {
      await withSite(cells, async (site) => {
        site.first.work();
        for (const n of [1, 2, 3]) await site.enqueue(site.first, n);
        for (const id of site.made) await site.first.ended({ tenant: TENANT, id });
        await site.first.pawl.enqueue(site.job, { n: 4 }, { delay: '1h' });
        const before = await site.histories();
        for (const _ of [1, 2, 3]) {
          const to = await site.nextCell();
          await stopAfter(site, 'taken');
          await site.cells.move(TENANT, to);
        }
        assert.deepEqual(await site.histories(), before);
      });
    });

    test('who follows the log is told everything once, whichever cell it happened in', async () => {
      await withSite(cells, async (site) => {
        for (const pawl of site.processes) pawl.work();
        const told: string[] = [];
        const tail = new Follower(site.stores[1]!, told);
        await site.work(60, async () => {
          for (const _ of [1, 2, 3]) {
            await tail.readOn();
            await site.cells.move(TENANT, await site.nextCell());
          }
        });
        await site.check();
        await tail.readOn();
        const events = (await site.histories()).flat();
        const moves = events.filter(({ note }) => note === 0);
        assert.deepEqual(told.toSorted(), moves.map(nameOf).toSorted());
      });
    });

    test('an erased job is erased in the cell that its tenant has left, too', async () => {
      await withSite(cells, async (site, sources) => {
        site.first.work();
        await site.enqueue(site.first, 1);
        const ref = { tenant: TENANT, id: site.made[0]! };
        await site.first.ended(ref);
        const old = await site.cell();
        await site.cells.move(TENANT, await site.nextCell());
        assert.equal(await site.stores[1]!.erase(ref, 'test'), 'erased');
        const store = await sources.find(({ name }) => name === old)!.open();
        try {
          const [left] = await store.read([ref]);
          assert.deepEqual([left?.input, left?.result], ['null', null]);
        } finally {
          await store.close();
        }
      });
    });

    test('cells are opened again after a move as they were', async () => {
      await withSite(cells, async (site) => {
        await site.enqueue(site.first, 1);
        const to = await site.nextCell();
        await site.cells.move(TENANT, to);
        const later = await site.open();
        assert.equal(await site.cell(), to);
        later.work();
        await site.check();
      });
    });

    test('what cannot be moved is refused, with its reason', async () => {
      await withSite(cells, async (site) => {
        await assert.rejects(site.cells.move('nobody', 'two'), { reason: 'nowhere' });
        await site.enqueue(site.first, 1);
        await assert.rejects(site.cells.move(TENANT, await site.cell()), { reason: 'here' });
        await assert.rejects(
          site.cells.move(TENANT, 'moon'),
          /no cell "moon": choose one of one, two/,
        );
      });
    });
  });
}

function nameOf({ jobId, version }: JobEvent): string {
  return `${jobId} v${version}`;
}

/** Reads the log to its end, from where it stood. */
class Follower {
  readonly #store: Store;
  readonly #told: string[];
  #from: TailQuery['from'] = 'start';

  constructor(store: Store, told: string[]) {
    this.#store = store;
    this.#told = told;
  }

  async readOn(): Promise<void> {
    for (;;) {
      const page = await this.#store.tail({ tenant: TENANT, from: this.#from, limit: 50 });
      assert.equal(page.isReset, false);
      this.#from = { cursor: page.cursor };
      for (const { event } of page.items) if (event.note === 0) this.#told.push(nameOf(event));
      if (page.items.length === 0) return;
    }
  }
}

async function newJobLike(site: MovingSite, id: string): Promise<NewJob> {
  const { context } = site.first;
  const [job] = await context.store.read([{ tenant: TENANT, id }]);
  const places = birthPlaces(
    builtInLifecycles.find(({ name }) => name === job!.lifecycle)!,
    true,
  );
  const { type, queue, lifecycle, lifecycleVersion, policy, maxAttempts } = job!;
  const named = { tenant: TENANT, id: context.ids.next(), type, queue };
  const kept = { lifecycle, lifecycleVersion, policy, maxAttempts, places, priority: 0 };
  const rest = { runAt: null, deadlineAt: null, input: '{}', metadata: null, idempotency: null };
  return { ...named, ...kept, ...rest, actor: 'test' };
}
