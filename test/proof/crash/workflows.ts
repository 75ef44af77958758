// What a process is doing when it is killed. Each says in its diary what a caller was promised.
import type { Claim } from '../../../src/engine/claim.ts';
import type { Ending } from '../../../src/engine/settle.ts';
import { holdingOf } from '../../support/world.ts';
import { type Diary, type Plant, TENANT } from './plant.ts';

type Workflow = (plant: Plant, diary: Diary) => Promise<void>;

let marks = 0;

function request(type: string, more: object = {}) {
  return { type, input: { n: 1 }, correlationId: `mark ${++marks}`, ...more };
}

async function claimed(plant: Plant, diary: Diary, type = 'convert'): Promise<Claim> {
  await diary.submit(plant, [request(type)]);
  const [claim] = await plant.engine.claim({ owner: 'w1', types: [type], max: 1 });
  diary.fact('claimed', claim!.job.id);
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
  submit: async (plant, diary) => {
    const keyed = request('convert', { idempotencyKey: 'once', payloadHash: 'same' });
    await diary.submit(plant, [keyed]);
    await diary.submit(plant, [request('convert'), request('index')]);
    await diary.submit(plant, [{ ...keyed, correlationId: `mark ${++marks}` }]);
  },
  claim: async (plant, diary) => {
    await diary.submit(plant, [request('convert'), request('convert')]);
    const asked = { owner: 'w1', types: ['convert'], max: 2, requestId: 'r1' };
    for (const { job } of await plant.engine.claim(asked)) diary.fact('claimed', job.id);
    await plant.engine.claim(asked);
  },
  heartbeat: async (plant, diary) => {
    const claim = await claimed(plant, diary, 'index');
    await plant.engine.start([holdingOf(claim)]);
    for (const progress of [20, 60]) {
      const checkpoint = JSON.stringify({ progress });
      const stageResult = { name: 'fetch', result: '1' };
      const beat = { ...holdingOf(claim), progress, checkpoint, stage: 'fetch', stageResult };
      await plant.engine.renew([beat]);
      diary.fact(`checkpoint ${checkpoint}`, claim.job.id);
    }
  },
  complete: async (plant, diary) => {
    const claim = await claimed(plant, diary);
    await settle(plant, claim, done);
    diary.fact('succeeded', claim.job.id);
    await settle(plant, claim, done);
  },
  'complete and claim in one call': async (plant, diary) => {
    const first = await claimed(plant, diary);
    await diary.submit(plant, [request('convert'), request('convert')]);
    const asked = { owner: 'w1', types: ['convert'], max: 1, requestId: 'r1' };
    const ends = [{ ...holdingOf(first), ending: done }];
    const { outcomes, claims } = await plant.engine.settleAndClaim(ends, asked);
    if (outcomes[0]!.kind === 'refused') throw outcomes[0]!.error;
    diary.fact('succeeded', first.job.id);
    for (const { job } of claims) diary.fact('claimed', job.id);
    await plant.engine.settleAndClaim(ends, asked);
  },
  'fail and retry': async (plant, diary) => {
    const claim = await claimed(plant, diary);
    await settle(plant, claim, broken);
    diary.fact('failed once', claim.job.id);
    plant.clock.advance(1_000);
    await plant.engine.sweepDue();
    const [again] = await plant.engine.claim({ owner: 'w1', types: ['convert'], max: 1 });
    await settle(plant, again!, done);
    diary.fact('succeeded', claim.job.id);
  },
  cancel: async (plant, diary) => {
    const claim = await claimed(plant, diary);
    const [queued] = await diary.submit(plant, [request('convert')]);
    const by = { actor: 'api', mode: 'soft', reason: null } as const;
    await plant.engine.cancel([{ ...by, ref: { tenant: TENANT, id: queued! } }]);
    diary.fact('cancelled', queued!);
    await plant.engine.cancel([{ ...by, ref: { tenant: TENANT, id: claim.job.id } }]);
    await settle(plant, claim, { kind: 'cancelled' });
    diary.fact('cancelled', claim.job.id);
  },
  'dead letter and replay': async (plant, diary) => {
    const claim = await claimed(plant, diary, 'index');
    await plant.engine.start([holdingOf(claim)]);
    await settle(plant, claim, ruined);
    diary.fact('in the dead-letter queue', claim.job.id);
    const [letter] = await plant.engine.deadLetters({ tenant: TENANT, limit: 1 });
    const caller = { tenant: TENANT, principal: 'tester' };
    const { job } = await plant.engine.replay({ deadLetterId: letter!.id, caller });
    diary.fact('there', job.id);
  },
  'a lost lease': async (plant, diary) => {
    const claim = await claimed(plant, diary);
    plant.clock.advance(claim.leaseMs);
    await plant.engine.sweepExpired();
    const [again] = await plant.engine.claim({ owner: 'w2', types: ['convert'], max: 1 });
    await settle(plant, again!, done);
    diary.fact('succeeded', claim.job.id);
  },
  schedule: async (plant, _diary) => {
    const rule = { kind: 'interval', everyMs: 10_000 } as const;
    const named = { name: 'often', caller: { tenant: TENANT, principal: 'tester' } };
    await plant.engine.schedules.put(named, { rule, job: { type: 'convert', input: null } });
    for (let slot = 0; slot < 2; slot++) {
      plant.clock.advance(10_000);
      await plant.engine.sweepSchedules();
    }
  },
  'webhook fan-out': async (plant, diary) => {
    const claim = await claimed(plant, diary);
    await settle(plant, claim, done);
    diary.fact('announced', claim.job.id);
    await plant.fanOut.runOnce();
    await plant.fanOut.runOnce();
  },
  'artifact commit': async (plant, diary) => {
    const claim = await claimed(plant, diary);
    for (const name of ['page.txt', 'page.txt', 'other.txt']) {
      const content = bytes(`${name} of ${claim.job.id}`);
      const contentType = 'text/plain';
      await plant.artifacts.put(holdingOf(claim), { name, contentType, content });
      diary.fact(`artifact ${name}`, claim.job.id);
    }
    await settle(plant, claim, done);
    diary.fact('succeeded', claim.job.id);
  },
};

async function* bytes(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
