import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { broken, planted } from '../../../../test/support/check/planted.ts';
import { claimed, lostRun, retriedRun, succeededRun } from '../../../../test/support/check/runs.ts';
import { World } from '../../../../test/support/check/world.ts';
import { document } from '../lifecycles/document.ts';
import { checkHistory } from './check-history.ts';
import type { HistoryInput, LedgerEntry } from './history.ts';

function runsOf(kept: HistoryInput, ...runs: Partial<LedgerEntry>[]): LedgerEntry[] {
  const { tenant, id: jobId } = kept.jobs[0]!;
  const entry = { tenant, jobId, epoch: 1, attempt: 1, owner: 'w1', startedAt: 0, endedAt: 10 };
  return runs.map((run) => ({ ...entry, ...run }));
}

describe('the ledger', () => {
  planted('I16', 'a success that no handler has run is found', async () =>
    broken(await succeededRun(), { ledger: [] }),
  );

  planted('I16', 'a success whose run was of another epoch is found', async () => {
    const kept = await retriedRun();
    const ledger = runsOf(kept, {}, { epoch: 2, owner: 'w2', startedAt: 20, endedAt: 30 });
    return { kept: { ...kept, ledger }, broken: { ...kept, ledger: ledger.slice(0, 1) } };
  });

  planted('I16', 'two runs at once without a lost lease are found', async () => {
    const kept = await retriedRun();
    const ledger = runsOf(
      kept,
      { endedAt: 25 },
      { epoch: 2, owner: 'w2', startedAt: 20, endedAt: 30 },
    );
    return broken(kept, { ledger });
  });

  planted('I16', 'one epoch that two owners have run is found', async () => {
    const kept = await succeededRun();
    return broken(kept, { ledger: [...kept.ledger!, ...runsOf(kept, { owner: 'w2' })] });
  });

  test('a zombie may run on beside its successor, and a run may be cut off', async () => {
    const kept = await lostRun();
    const ledger = runsOf(
      kept,
      { endedAt: 99 },
      { epoch: 2, owner: 'w2', startedAt: 20, endedAt: 30 },
    );
    assert.deepEqual(checkHistory({ ...kept, ledger }), []);
    const world = new World(document);
    await world.submit();
    world.ran(await claimed(world), null);
    assert.deepEqual(checkHistory(await world.record()), []);
  });
});
