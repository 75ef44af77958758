import type { RecordStore } from './records.ts';
import type { Store } from './store.ts';

/** What lists, histories and dashboards are made of. Nothing here decides anything. */
export type ReplicaVerbs = Pick<
  Store,
  'list' | 'read' | 'events' | 'tail' | 'tally' | 'rules' | 'policies' | 'now'
> & {
  readonly records: Pick<RecordStore, 'read' | 'list' | 'count'>;
};

/** An answer that a replica has given, and how old what it says may be. */
export interface FromReplica<Answer> {
  readonly answer: Answer;
  /** Everything that was committed so long ago, or longer, is in it. */
  readonly staleMs: number;
}

/** How a replica is, for those who look after it. */
export interface ReplicaFigures {
  /** `primary`: it follows nobody. `otherLog`: it does not have the log that is written now. */
  readonly state: 'ok' | 'primary' | 'otherLog' | 'unreachable';
  /** How old its answers may be now; null where it has not come so far as is known. */
  readonly staleMs: number | null;
  readonly staleMsMax: number;
  /** Whether it keeps dead rows of the primary for its readers. */
  readonly hasFeedback: boolean;
  /** What went wrong, where it could not be asked. */
  readonly message: string | null;
}

/** Why the primary answered instead. `behind`: the caller has written something later. */
export const REPLICA_MISSES = ['stale', 'behind', 'conflict', 'failed'] as const;

export type ReplicaMiss = (typeof REPLICA_MISSES)[number];

/** A server that follows the primary and may answer reads in its place. */
export interface Replica {
  /** A place behind every write that was answered before this call. */
  position(): Promise<string>;
  /** Null: the primary has to answer. `after`: a position that must be there already. */
  read<Answer>(
    after: string | null,
    body: (store: ReplicaVerbs) => Promise<Answer>,
  ): Promise<FromReplica<Answer> | null>;
  figures(): Promise<ReplicaFigures>;
}
