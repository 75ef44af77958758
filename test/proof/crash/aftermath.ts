// The successor of a process that was killed: it opens the same file, settles down and judges.
import { recordsOf } from '../../../src/records/records.ts';
import { existsSync, readFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { checkHistory } from '../../../src/check/check-history.ts';
import type { Operation, Outcome } from '../../../src/check/history.ts';
import type { Job } from '../../../src/core/job.ts';
import { isTerminal } from '../../../src/core/phase.ts';
import { builtInLifecycles as lifecycles } from '../../../src/lifecycles/built-in.ts';
import { DELIVERY_TYPE } from '../../../src/webhooks/deliveries.ts';
import { readAll } from '../../simulation/read-all.ts';
import { holdingOf } from '../../support/world.ts';
import { BEGIN_AT, CallLog, type Line, openPlant, type Plant, TENANT, TYPES } from './plant.ts';

const ROUNDS_MAX = 20;
const LATER_MS = 600_000;

/** What is wrong after the crash; nothing, if all goes well. */
export async function judgeAftermath(folder: string): Promise<readonly string[]> {
  const path = `${folder}/diary.jsonl`;
  const plant = await openPlant({ folder, startAt: BEGIN_AT + LATER_MS });
  try {
    await askAgain(plant, readCallLog(path), new CallLog(`${folder}/second.jsonl`));
    await settleDown(plant);
    const second = readCallLog(`${folder}/second.jsonl`);
    const first = readCallLog(path);
    const operations = [...operationsOf(first), ...operationsOf(second)];
    const facts = first.filter((line) => 'fact' in line);
    return [...(await judge(plant, operations)), ...(await judgeFacts(plant, facts))];
  } finally {
    await plant.store.close();
  }
}

function readCallLog(path: string): readonly Line[] {
  if (!existsSync(path)) return [];
  // The last line may have been cut off; it was then not yet told to anybody.
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Line);
}

function operationsOf(lines: readonly Line[]): readonly Operation[] {
  const operations = new Map<number, Operation>();
  for (const line of lines) {
    if ('sent' in line) operations.set(line.sent, line.operation);
    if (!('answered' in line)) continue;
    const { answered, outcome, jobId = null } = line;
    operations.set(answered, { ...operations.get(answered)!, outcome, jobId } as Operation);
  }
  return [...operations.values()];
}

/** A client that got no answer asks again where it has a key, and finds what is there. */
async function askAgain(plant: Plant, lines: readonly Line[], callLog: CallLog): Promise<void> {
  const isUnknown = ({ outcome }: { outcome: Outcome }): boolean => outcome === 'unknown';
  for (const operation of operationsOf(lines).filter(isUnknown)) {
    if (operation.kind !== 'submit' || operation.idempotency === null) continue;
    const { correlationId, idempotency } = operation;
    const key = { idempotencyKey: idempotency.key, payloadHash: 'same' };
    const request = { type: 'convert', input: { n: 1 }, ...key };
    await callLog.submit(plant, [{ ...request, correlationId: `${correlationId} again` }]);
  }
}

async function settleDown({ engine, clock, fanOut, artifacts }: Plant): Promise<void> {
  for (let round = 0; round < ROUNDS_MAX; round++) {
    await engine.sweepExpired();
    await engine.sweepDue();
    while ((await fanOut.runOnce()).kind === 'handled');
    const claims = await engine.claim({ owner: 'w9', types: TYPES, max: 100 });
    for (const claim of claims) {
      const held = holdingOf(claim);
      await engine.start([held]);
      await engine.settle([{ ...held, ending: { kind: 'succeed', result: '"by the second"' } }]);
    }
    clock.advance(20_000);
  }
  await artifacts
    .sweep({
      timers: { sleep: () => Promise.resolve() },
      graceMs: -Number.MAX_SAFE_INTEGER,
    })
    .runOnce();
}

async function judge(plant: Plant, history: readonly Operation[]) {
  const { store } = plant;
  const all = await readAll(store, [TENANT]);
  const isAsked = ({ type, metadata }: Job): boolean =>
    type !== DELIVERY_TYPE && !(metadata ?? '').includes('"schedule"');
  const asked = new Set(all.jobs.filter(isAsked).map(({ id }) => id));
  const ofAsked = { ...all, events: all.events.filter(({ jobId }) => asked.has(jobId)) };
  const jobs = all.jobs.filter(isAsked);
  const told = [
    ...checkHistory({ lifecycles, ...all }),
    ...checkHistory({ lifecycles, ...ofAsked, jobs, history }),
  ].map(({ invariant, jobId, message }) => `${invariant} ${jobId}: ${message}`);
  for (const { id, state, phase } of all.jobs) {
    if (!isTerminal(phase)) told.push(`I20 ${id} is still ${state}`);
  }
  told.push(...(await judgeSlots(store)), ...(await judgeBytes(plant, jobs)));
  return told;
}

async function judgeSlots(store: Plant['store']): Promise<string[]> {
  const fires = await recordsOf(store).schedules.fires({
    tenant: TENANT,
    name: 'often',
    limit: 1_000,
  });
  const slots = fires.filter(({ result }) => result === 'created').map(({ slot }) => slot);
  return new Set(slots).size === slots.length ? [] : ['I12 a slot made two jobs'];
}

/** I18: what is listed can be read and is what it says; nothing else is left lying about. */
async function judgeBytes(
  { store, files, artifacts }: Plant,
  jobs: readonly Job[],
): Promise<string[]> {
  const told: string[] = [];
  const known = new Set<string>();
  for (const { tenant, id } of jobs) {
    for (const artifact of await recordsOf(store).artifacts.ofJob({ tenant, id })) {
      known.add(artifact.location);
      const hash = createHash('sha256');
      for await (const part of await artifacts.open(artifact)) hash.update(part);
      if (hash.digest('hex') !== artifact.sha256) told.push(`I18 ${artifact.name} is not itself`);
    }
  }
  const { found } = await files.list(null, 1_000);
  for (const { location } of found) {
    if (!known.has(location)) told.push(`I18 ${location} belongs to nobody`);
  }
  return told;
}

/** Whatever a caller was told before the crash is still so. */
async function judgeFacts(
  { store, engine }: Plant,
  facts: readonly Extract<Line, { fact: string }>[],
): Promise<string[]> {
  const told: string[] = [];
  const letters = await engine.deadLetters({ tenant: TENANT, limit: 1_000 });
  const deliveries = (await engine.jobs({ tenant: TENANT, limit: 1_000, type: DELIVERY_TYPE }))
    .jobs;
  for (const { fact, jobId } of facts) {
    const ref = { tenant: TENANT, id: jobId };
    const [job] = await store.read([ref]);
    const names = (await recordsOf(store).artifacts.ofJob(ref)).map(
      ({ name }) => `artifact ${name}`,
    );
    const isSo: Readonly<Record<string, boolean>> = {
      succeeded: job?.result === '"by the first"',
      cancelled: job?.phase === 'cancelled',
      'failed once': (job?.attempts ?? 0) >= 2,
      'in the dead-letter queue': letters.some((letter) => letter.jobId === jobId),
      announced: deliveries.filter(({ input }) => input.includes(jobId)).length > 0,
    };
    const isKept = isSo[fact] ?? (fact.startsWith('artifact') ? names.includes(fact) : !!job);
    if (!isKept) told.push(`I1 ${jobId} was told to be ${fact}, and is not`);
  }
  const inputs = deliveries.map(({ input }) => input);
  if (new Set(inputs).size !== inputs.length) told.push('I17 an event has two deliveries');
  return told;
}
