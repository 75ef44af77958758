// A process that runs a flow of many children, on SQLite or PostgreSQL, until it is killed or done.
import { systemClock } from 'pawl/internal/core/clock';
import { systemIds } from 'pawl/internal/core/ids';
import { systemRandom } from 'pawl/internal/core/random';
import { systemTimers } from 'pawl/internal/core/timers';
import type { Claim } from 'pawl/internal/engine/claim';
import { Engine } from 'pawl/internal/engine/engine';
import { openContext } from 'pawl/internal/engine/open-context';
import { FlowFollower } from 'pawl/internal/engine/flows/flow-follower';
import { SPAWN_MAX } from 'pawl/internal/core/flow';
import { isTerminal } from 'pawl/internal/core/phase';
import { Sweeper } from 'pawl/internal/engine/sweeps/sweeper';
import type { Ending } from 'pawl/internal/core/ending';
import { builtInLifecycles } from 'pawl/internal/lifecycles/built-in';
import { holdingOf } from '../../support/world.ts';
import { FLOW_KILLED, openFlowStore } from './kill.ts';

const [place = '', count = '0'] = process.argv.slice(2);
const SUCCEED: Ending = { kind: 'succeed', result: '1' };
/** A turn that is lost with its process spends an attempt. */
const RETRY = { maxAttempts: 1_000, backoff: { kind: 'fixed', baseMs: 20 } } as const;
const LEASE = { ttlMs: 1_000, heartbeatMs: 500 };
const store = await openFlowStore(place);
const context = openContext({
  store,
  lifecycles: builtInLifecycles,
  random: systemRandom,
  ids: systemIds(systemClock),
});
const engine = new Engine(context);
const { tenant, id } = FLOW_KILLED;
for (const type of ['parent', 'child']) {
  await engine.putType({ tenant, type }, { lifecycle: 'task', lease: LEASE, retry: RETRY });
}
await engine.enqueue([{ type: 'parent', id }], { caller: { tenant, principal: null } });
const follower = new FlowFollower(context, { timers: systemTimers, everyMs: 20 });
const sweeper = new Sweeper(context, { timers: systemTimers, everyMs: 100 });
follower.start();
sweeper.start();
process.stdout.write('begun\n');
for (;;) {
  const owner = `w${process.pid}`;
  const claims = await engine.claim({ owner, types: ['parent', 'child'], max: 20 });
  for (const claim of claims) await turn(claim);
  if (isTerminal((await engine.job({ tenant, id })).phase)) break;
  if (claims.length === 0) await systemTimers.sleep(10, new AbortController().signal);
}
await sweeper.stop();
await follower.stop();
await store.close();
process.stdout.write('done\n');

async function turn(claim: Claim): Promise<void> {
  const ending = claim.job.type === 'child' ? SUCCEED : await parentTurn(claim);
  await engine.settle([{ ...holdingOf(claim), ending }]);
  // Whoever kills this process counts.
  process.stdout.write('turn\n');
}

async function parentTurn(claim: Claim): Promise<Ending> {
  const held = holdingOf(claim);
  const keys = Array.from({ length: Number(count) }, (_, index) => `k${index}`);
  const items = keys.map((key) => ({ key, input: JSON.stringify(key) }));
  for (let offset = 0; offset < items.length; offset += SPAWN_MAX) {
    const part = items.slice(offset, offset + SPAWN_MAX);
    const isLast = offset + part.length === items.length;
    const request = {
      wait: 'parts',
      type: 'child',
      onFailure: 'throw',
      items: part,
      offset,
      isLast,
    };
    await engine.flows.spawn(held, { ...request, onFailure: 'throw' });
  }
  const [state] = await engine.flows.decide(held, [{ name: 'parts', kind: 'children' }]);
  if (state!.state === 'open') return { kind: 'suspend', waits: ['parts'] };
  const { value } = state!;
  return { kind: 'succeed', result: JSON.stringify(value.kind === 'children' && value.counts) };
}
