import { describe } from 'node:test';
import { breakEvent, planted } from '../../../../test/support/check/planted.ts';
import { claimed, lostRun, retriedRun } from '../../../../test/support/check/runs.ts';
import { World } from '../../../../test/support/check/world.ts';
import { document } from '../lifecycles/document.ts';

describe('leases', () => {
  planted('I6', 'a job taken before its deadline is found', async () => {
    const kept = await lostRun();
    const event = kept.events.find(({ version }) => version === 4)!;
    return breakEvent(kept, 4, { payload: { ...event.payload, leaseExpiry: event.at + 1 } });
  });

  planted('I6', 'a loss that shows no deadline is found', async () => {
    const kept = await lostRun();
    const { error } = kept.events.find(({ version }) => version === 4)!.payload!;
    return breakEvent(kept, 4, { payload: { error } });
  });

  planted('I6', 'a deadline shorter than the lease that was given is found', async () => {
    const kept = await lostRun();
    const { payload } = kept.events.find(({ version }) => version === 4)!;
    const claim = kept.events.find(({ version }) => version === 2)!;
    return breakEvent(kept, 4, { payload: { ...payload, leaseExpiry: claim.at + 1 } });
  });

  planted('I6', 'a deadline that forgets the last heartbeat is found', async () => {
    const world = new World(document);
    await world.submit();
    const job = await claimed(world);
    world.clock.advance(20_000);
    await world.renew(job);
    world.clock.advance(100_000);
    await world.ask(await world.read(job.id), { on: 'lose' }, 'expired');
    const kept = await world.record();
    const { payload } = kept.events.find(({ version, note }) => version === 4 && note === 0)!;
    return breakEvent(kept, 4, { payload: { ...payload, leaseExpiry: job.leaseExpiry } });
  });

  planted('I6', 'a job that the system took from a living owner is found', async () =>
    breakEvent(await retriedRun(), 4, { actor: 'system' }),
  );
});
