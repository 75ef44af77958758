// The verbs that change nothing. They are apart from the others because each thread of the store
// loads only what it does: loading is most of the time that it takes to open one.
import type { VerbTable } from '../plain-verbs.ts';
import { checkRows } from './check-rows.ts';
import { depthOf, tallyJobs } from './counts.ts';
import { notedDamage } from './disk.ts';
import { readEntries } from './entries.ts';
import { listEvents } from './history.ts';
import { listAiling, listDispatchRules } from './limits.ts';
import { listJobs } from './list.ts';
import {
  listFailedTypes,
  listStrays,
  listTenants,
  quickCheck,
  readFigures,
} from './maintenance.ts';
import { departed, markLog, packEnded, packSince, tenantStanding } from './moving-out.ts';
import { readPast } from './past.ts';
import { countStages, expiredJobs, overdueJobs, ownedJobs, readJobs, readStages } from './read.ts';
import { countRecords, listRecords, readRecords } from './records.ts';
import { standingOf } from './standing.ts';
import { untilDue } from './sweep.ts';
import { incarnationOf, readTail } from './tail.ts';
import type { Body, Call, ReadVerb, WriteVerb } from './verbs.ts';
import { vitalsOf } from './vitals.ts';
import type { Work } from './work.ts';

export const PLAIN_READS: Omit<VerbTable<Work>, WriteVerb> = {
  untilDue,
  expired: expiredJobs,
  owned: ownedJobs,
  read: readJobs,
  list: listJobs,
  stages: readStages,
  countStages,
  events: listEvents,
  tail: readTail,
  entries: readEntries,
  incarnation: incarnationOf,
  tally: tallyJobs,
  past: readPast,
  overdue: overdueJobs,
  standing: standingOf,
  rules: listDispatchRules,
  depth: depthOf,
  policies: ({ names }, numbers) => numbers.map((number) => names.policy(number)),
};

type Reads = typeof PLAIN_READS & {
  readonly [Name in Exclude<ReadVerb, keyof typeof PLAIN_READS>]: Body<Name>;
};

const READS: Reads = {
  ...PLAIN_READS,
  ailing: listAiling,
  readRecords,
  listRecords,
  countRecords,
  vitals: vitalsOf,
  tenants: listTenants,
  figures: readFigures,
  strays: listStrays,
  failedTypes: listFailedTypes,
  checkRows,
  quickCheck,
  notedDamage,
  tenantStanding,
  markLog,
  packEnded,
  packSince,
  departed,
};

export function performRead(work: Work, { verb, args }: Call): unknown {
  const body = READS[verb as ReadVerb] as (work: Work, ...args: readonly unknown[]) => unknown;
  return body(work, ...args);
}
