import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readAll } from '../../test/simulation/read-all.ts';
import { breakEvent, planted } from '../../test/support/check/planted.ts';
import { openFlowWorld } from '../../test/support/flow-world.ts';
import { TENANT } from '../../test/support/world.ts';
import type { EventType } from '../core/event.ts';
import { builtInLifecycles } from '../lifecycles/built-in.ts';
import { checkHistory } from './check-history.ts';
import type { HistoryInput } from './history.ts';

const SAID = { name: 'said', kind: 'message', message: 'approve' } as const;

/** A job that waited for a message, was woken by it, and ended. */
async function wokenRun(lifecycle = 'task'): Promise<HistoryInput> {
  const flow = await openFlowWorld({ types: { parent: { lifecycle } } });
  const turn = await flow.running();
  await flow.waitFor(turn, SAID);
  flow.world.advance(100);
  await flow.send(turn.job, 'approve');
  await flow.follow();
  const next = await flow.take('parent');
  await flow.value(next, SAID);
  await flow.world.complete(next);
  return { lifecycles: builtInLifecycles, ...(await readAll(flow.world.store, [TENANT])) };
}

/** An entry that says nothing of waits, in the place of one that does. */
function without(kept: HistoryInput, type: EventType): ReturnType<typeof breakEvent> {
  const { version } = kept.events.find((event) => event.type === type)!;
  return breakEvent(kept, version, { type: 'job_message', payload: { id: '1', name: 'x' } });
}

describe('waits', () => {
  for (const lifecycle of ['task', 'process', 'distributed']) {
    test(`${lifecycle}: a job that waited and was woken breaks no law`, async () => {
      assert.deepEqual(checkHistory(await wokenRun(lifecycle)), []);
    });
  }

  planted('W1', 'a job that is woken although it does not wait is found', async () =>
    without(await wokenRun(), 'job_suspended'),
  );

  planted('I15', 'a suspended job that goes on unwoken and before its time is found', async () =>
    without(await wokenRun(), 'job_woken'),
  );
});
