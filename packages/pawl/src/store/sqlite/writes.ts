// The verbs that change what is stored, apart from those that only read it (reads.ts).
import type { VerbTable } from '../plain-verbs.ts';
import { applyAndClaim } from './apply-and-claim.ts';
import { applyMoves } from './apply.ts';
import { claimJobs, claimList } from './claim.ts';
import { noteDamage, probeDisk } from './disk.ts';
import { eraseJob, eraseLeft } from './erase.ts';
import { insertJobs, insertWith } from './insert.ts';
import { changeThrottle, putDispatchRule, trimRates } from './limits.ts';
import { arrive, expectTenant, takeParts } from './moving-in.ts';
import { depart, settle } from './moving-out.ts';
import { purge } from './purge.ts';
import { writeRecords } from './records.ts';
import { renewLeases } from './renew.ts';
import { letDueIn } from './sweep.ts';
import type { Body, Call, WriteVerb } from './verbs.ts';
import type { Work } from './work.ts';

export const PLAIN_WRITES: Pick<VerbTable<Work>, WriteVerb & keyof VerbTable<Work>> = {
  claim: claimJobs,
  renew: renewLeases,
  due: letDueIn,
  putDispatchRule,
  putPolicy: ({ names }, policy) => names.makePolicy(policy),
};

/** A claim may answer with columns, see `unfolded`. */
type Writes = Omit<typeof PLAIN_WRITES, 'claim'> & {
  readonly [Name in Exclude<WriteVerb, keyof typeof PLAIN_WRITES>]: Body<Name>;
} & { readonly claim: typeof claimList };

const WRITES: Writes = {
  ...PLAIN_WRITES,
  claim: claimList,
  insert: insertJobs,
  insertWith,
  apply: applyMoves,
  applyAndClaim,
  purge,
  erase: eraseJob,
  throttle: changeThrottle,
  trimRates,
  writeRecords,
  probeDisk,
  noteDamage,
  expectTenant,
  depart,
  takeParts,
  arrive,
  settle,
  eraseLeft,
};

export function performWrite(work: Work, { verb, args }: Call): unknown {
  const body = WRITES[verb as WriteVerb] as (work: Work, ...args: readonly unknown[]) => unknown;
  return body(work, ...args);
}
