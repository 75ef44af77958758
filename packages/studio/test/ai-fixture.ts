// ai jobs on a real store, with a server that speaks as models do.
import type { TestContext } from 'node:test';
import { SeededRandom } from 'pawl/internal/core/random';
import { systemTimers } from 'pawl/internal/core/timers';
import type { RecordStore } from 'pawl/internal/store/records';
import { createOutgoing } from '@pawl/server/internal/outgoing/outgoing';
import { type Budgets, type Prices, Spending } from '../src/ai/budget.ts';
import { endpointModel } from '../src/ai/endpoint.ts';
import { type AiDependencies, aiJob } from '../src/ai/job.ts';
import { type JobFixture, openJobFixture } from './job-fixture.ts';
import { type ModelServer, openModelServer } from './model-server.ts';

const RATE = { max: 1_000, per: '1s' } as const;

export interface AiTestFixture extends JobFixture {
  readonly server: ModelServer;
  /** Null unless the fixture was opened with prices. */
  readonly spending: Spending | null;
}

interface AiTestOptions extends Partial<AiDependencies> {
  readonly answerMs?: number;
  readonly stallMs?: number;
  readonly apiKey?: string;
  readonly paid?: { readonly prices: Prices; readonly budgets: Budgets };
}

/** The records of a store that is opened later. */
function laterRecords(): { records: RecordStore; set: (store: RecordStore) => void } {
  let store: RecordStore | null = null;
  const records: RecordStore = {
    read: (keys) => store!.read(keys),
    list: (query) => store!.list(query),
    count: (match, by) => store!.count(match, by),
    write: (ops) => store!.write(ops),
  };
  return { records, set: (opened) => void (store = opened) };
}

export async function openFixture(
  context: TestContext,
  more: AiTestOptions = {},
): Promise<AiTestFixture> {
  const server = await openModelServer(context);
  const outgoing = createOutgoing({ allow: [server.place] });
  context.after(() => outgoing.close());
  const { answerMs = 20_000, stallMs = 20_000, apiKey = 'sk-test', paid, ...fixture } = more;
  const later = laterRecords();
  const spending =
    paid === undefined ? null : new Spending(later.records, paid.prices, paid.budgets);
  const model = endpointModel({
    baseUrl: server.baseUrl,
    apiKey,
    model: 'test-model',
    timeoutMs: answerMs,
    stall: { stallMs, timers: systemTimers },
    outgoing,
  });
  const job = aiJob({
    model,
    random: new SeededRandom(1),
    spending,
    mayPersist: true,
    timeoutMs: 60_000,
    rate: { perUser: RATE, perOrganisation: RATE },
    ...fixture,
  });
  const opened = await openJobFixture(context, [job]);
  later.set(opened.world.store.records);
  return { ...opened, server, spending };
}
