import type { Store } from '../store/store.ts';
import { AccessKeys } from './access-keys.ts';
import { ArtifactRecords } from './artifacts.ts';
import { AuditLog } from './audit.ts';
import { DeadLetters } from './dead-letters.ts';
import { Ends } from './ends.ts';
import { FlowRecords } from './flow-records.ts';
import { Followers } from './followers.ts';
import { History } from './history.ts';
import { IgnoredCauses } from './ignored-causes.ts';
import { JobShares } from './job-shares.ts';
import { JobTypes } from './job-types.ts';
import { Operations } from './operations.ts';
import { ScheduleRecords } from './schedules.ts';
import { Workers } from './workers.ts';

/** The repositories of everything that is stored beside jobs. */
export interface Records {
  readonly accessKeys: AccessKeys;
  readonly artifacts: ArtifactRecords;
  readonly audit: AuditLog;
  readonly deadLetters: DeadLetters;
  readonly ends: Ends;
  readonly flows: FlowRecords;
  readonly followers: Followers;
  readonly history: History;
  readonly ignoredCauses: IgnoredCauses;
  readonly operations: Operations;
  readonly jobShares: JobShares;
  readonly schedules: ScheduleRecords;
  readonly types: JobTypes;
  readonly workers: Workers;
}

export function recordsOf(store: Store): Records {
  const { records } = store;
  const deadLetters = new DeadLetters(records);
  return {
    accessKeys: new AccessKeys(records),
    artifacts: new ArtifactRecords(store, deadLetters),
    audit: new AuditLog(records),
    deadLetters,
    ends: new Ends(records),
    flows: new FlowRecords(records),
    followers: new Followers(records),
    history: new History(records),
    ignoredCauses: new IgnoredCauses(records),
    operations: new Operations(records),
    jobShares: new JobShares(records),
    schedules: new ScheduleRecords(store),
    types: new JobTypes(store),
    workers: new Workers(store),
  };
}
