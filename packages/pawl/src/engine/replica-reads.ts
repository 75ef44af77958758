import { recordsOf } from '../records/records.ts';
import type { FromReplica, ReplicaVerbs } from '../store/replica.ts';
import type { Store } from '../store/store.ts';
import type { EngineContext } from './context.ts';
import { UseCases } from './use-cases.ts';

/** Lists, histories and what a dashboard counts: what may be a little old, and decides nothing. */
export type ReplicaReads = Pick<
  InstanceType<typeof UseCases>,
  'jobs' | 'events' | 'tail' | 'history' | 'deadLetters' | 'queues' | 'now'
>;

/** The same use cases on what the replica has. They ask for nothing that it cannot do. */
function readsOn(context: EngineContext, verbs: ReplicaVerbs): ReplicaReads {
  const store = verbs as unknown as Store;
  return new UseCases({ ...context, store, records: recordsOf(store) });
}

/** Null: there is no replica that has come far enough, so the primary has to be asked. */
export async function readReplica<Answer>(
  context: EngineContext,
  after: string | null,
  body: (from: ReplicaReads) => Promise<Answer>,
): Promise<FromReplica<Answer> | null> {
  const { replica } = context.store;
  if (replica === undefined) return null;
  return replica.read(after, (verbs) => body(readsOn(context, verbs)));
}
