// What a process is doing when it is killed. Each writes to its log what a caller was promised.
import type { Claim } from '../../../src/engine/claim.ts';
import type { Ending } from '../../../src/core/ending.ts';
import { holdingOf } from '../../support/world.ts';
import { type CallLog, type Plant, TENANT } from './plant.ts';

type Workflow = (plant: Plant, callLog: CallLog) => Promise<void>;

let marks = 0;

function request(type: string, more: object = {}) {
  return { type, input: { n: 1 }, correlationId: `mark ${++marks}`, ...more };
}

async function claimed(plant: Plant, callLog: CallLog, type = 'convert'): Promise<Claim> {
  await callLog.submit(plant, [request(type)]);
  const [claim] = await plant.engine.claim({ owner: 'w1', types: [type], max: 1 });
  callLog.fact('claimed', claim!.job.id);
  return claim!;
}

async function settle(plant: Plant, claim: Claim, ending: Ending): Promise<void> {
  const [outcome] = await plant.engine.settle([{ ...holdingOf(claim), ending }]);
  if (outcome!.kind === 'refused') throw outcome!.error;
}

const done: Ending = { kind: 'succeed', result: '"by the first"' };
const broken: Ending = { kind: 'fail', error: { class: 'network_timeout', message: 'again' } };
const ruined: Ending = { kind: 'fail', error: { class: 'PermanentError', message: 'never' } };

export const WORKFLOWS: Readonly<Record<string, Workflow>> = {
  submit: async (plant, callLog) => {
    const keyed = request('convert', { idempotencyKey: 'once', payloadHash: 'same' });
    await callLog.submit(plant, [keyed]);
    await callLog.submit(plant, [request('convert'), request('index')]);
    await callLog.submit(plant, [{ ...keyed, correlationId: `mark ${++marks}` }]);
  },
  claim: async (plant, callLog) => {
    await callLog.submit(plant, [request('convert'), request('convert')]);
    const asked = { owner: 'w1', types: ['convert'], max: 2, requestId: 'r1' };
    for (const { job } of await plant.engine.claim(asked)) callLog.fact('claimed', job.id);
    await plant.engine.claim(asked);
  },
  heartbeat: async (plant, callLog) => {
    const claim = await claimed(plant, callLog, 'index');
    await plant.engine.start([holdingOf(claim)]);
    for (const progress of [20, 60]) {
      const checkpoint = JSON.stringify({ progress });
      const stageResult = { name: 'fetch', result: '1' };
      const beat = { ...holdingOf(claim), progress, checkpoint, stage: 'fetch', stageResult };
      await plant.engine.renew([beat]);
      callLog.fact(`checkpoint ${checkpoint}`, claim.job.id);
    }
  },
  complete: async (plant, callLog) => {
    const claim = await claimed(plant, callLog);
    await settle(plant, claim, done);
    callLog.fact('succeeded', claim.job.id);
    await settle(plant, claim, done);
  },
  'complete and claim in one call': async (plant, callLog) => {
    const first = await claimed(plant, callLog);
    await callLog.submit(plant, [request('convert'), request('convert')]);
    const asked = { owner: 'w1', types: ['convert'], max: 1, requestId: 'r1' };
    const ends = [{ ...holdingOf(first), ending: done }];
    const { outcomes, claims } = await plant.engine.settleAndClaim(ends, asked);
    if (outcomes[0]!.kind === 'refused') throw outcomes[0]!.error;
    callLog.fact('succeeded', first.job.id);
    for (const { job } of claims) callLog.fact('claimed', job.id);
    await plant.engine.settleAndClaim(ends, asked);
  },
  'fail and retry': async (plant, callLog) => {
    const claim = await claimed(plant, callLog);
    await settle(plant, claim, broken);
    callLog.fact('failed once', claim.job.id);
    plant.clock.advance(1_000);
    await plant.engine.sweepDue();
    const [again] = await plant.engine.claim({ owner: 'w1', types: ['convert'], max: 1 });
    await settle(plant, again!, done);
    callLog.fact('succeeded', claim.job.id);
  },
  cancel: async (plant, callLog) => {
    const claim = await claimed(plant, callLog);
    const [queued] = await callLog.submit(plant, [request('convert')]);
    const by = { actor: 'api', mode: 'soft', reason: null } as const;
    await plant.engine.cancel([{ ...by, ref: { tenant: TENANT, id: queued! } }]);
    callLog.fact('cancelled', queued!);
    await plant.engine.cancel([{ ...by, ref: { tenant: TENANT, id: claim.job.id } }]);
    await settle(plant, claim, { kind: 'cancelled' });
    callLog.fact('cancelled', claim.job.id);
  },
  'dead letter and replay': async (plant, callLog) => {
    const claim = await claimed(plant, callLog, 'index');
    await plant.engine.start([holdingOf(claim)]);
    await settle(plant, claim, ruined);
    callLog.fact('in the dead-letter queue', claim.job.id);
    const [letter] = await plant.engine.deadLetters({ tenant: TENANT, limit: 1 });
    const caller = { tenant: TENANT, principal: 'tester' };
    const { job } = await plant.engine.replay({ deadLetterId: letter!.id, caller });
    callLog.fact('there', job.id);
  },
  'a lost lease': async (plant, callLog) => {
    const claim = await claimed(plant, callLog);
    plant.clock.advance(claim.leaseMs);
    await plant.engine.sweepExpired();
    const [again] = await plant.engine.claim({ owner: 'w2', types: ['convert'], max: 1 });
    await settle(plant, again!, done);
    callLog.fact('succeeded', claim.job.id);
  },
  schedule: async (plant, _callLog) => {
    const rule = { kind: 'interval', everyMs: 10_000 } as const;
    const named = { name: 'often', caller: { tenant: TENANT, principal: 'tester' } };
    await plant.engine.schedules.put(named, { rule, job: { type: 'convert', input: null } });
    for (let slot = 0; slot < 2; slot++) {
      plant.clock.advance(10_000);
      await plant.engine.sweepSchedules();
    }
  },
  'webhook fan-out': async (plant, callLog) => {
    const claim = await claimed(plant, callLog);
    await settle(plant, claim, done);
    callLog.fact('announced', claim.job.id);
    await plant.fanOut.runOnce();
    await plant.fanOut.runOnce();
  },
  'artifact commit': async (plant, callLog) => {
    const claim = await claimed(plant, callLog);
    for (const name of ['page.txt', 'page.txt', 'other.txt']) {
      const content = bytes(`${name} of ${claim.job.id}`);
      const contentType = 'text/plain';
      await plant.artifacts.put(holdingOf(claim), { name, contentType, content });
      callLog.fact(`artifact ${name}`, claim.job.id);
    }
    await settle(plant, claim, done);
    callLog.fact('succeeded', claim.job.id);
  },
};

async function* bytes(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
